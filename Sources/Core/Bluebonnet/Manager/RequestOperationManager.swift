// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Dispatch
public import Foundation
public import FoundationNetworking

/// Creates and runs request operations that share a base URL, serializers, limits, trust and a queue for handlers.
///
/// ```swift
/// let manager = RequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/")!)
/// let me: JSONValue = try await manager.get("me")
/// ```
///
/// All members may be used from any thread. A change of a property affects only operations that are created later.
public final class RequestOperationManager: Sendable {
    struct Shared: Sendable {
        var requestSerializer: any RequestSerializer
        var serializer: ResolvedSerializer {
            didSet { bodySerializer = serializer.ofBodies }
        }
        private(set) var bodySerializer: ResolvedSerializer
        var resolvedOptions: ResolvedOptions
        var completion = CompletionTarget()
        var blocks = RequestBlocks()
        var configure: (@Sendable (HTTPRequestOperation) -> Void)?
        var headers: HeaderFields
        var encoder = JSONEncoder()
        var decoder = JSONDecoder()
        var reachabilityManager = NetworkReachabilityManager.shared

        init(_ configuration: Configuration) {
            requestSerializer = configuration.requestSerializer
            serializer = ResolvedSerializer(configuration.responseSerializer)
            bodySerializer = serializer.ofBodies
            resolvedOptions = ResolvedOptions(configuration.transferOptions, areManagers: true)
            headers = configuration.headers
        }

        var transferOptions: TransferOptions {
            get { resolvedOptions.value }
            set { resolvedOptions = ResolvedOptions(newValue, areManagers: true) }
        }
    }

    /// The URL against which relative URLs are resolved; its path ends in a slash. Nil without a base URL.
    public let baseURL: URL?
    /// The base URL as it was given, for the empty reference: an endpoint need not end in a slash.
    private let givenBaseURL: URL?
    /// The queue to which the verbs add their operations.
    public let operationQueue = RequestOperationQueue()
    private let shared: Mutex<Box<Shared>>
    let services: NetworkServices

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - baseURL: if the path does not end in a slash, a slash is added, so that relative URLs go below the path.
    ///   - configuration: limits and options.
    public convenience init(baseURL: URL, configuration: Configuration = Configuration()) {
        self.init(optional: baseURL, configuration)
    }

    /// Creates a manager without a base URL, for absolute URLs.
    public convenience init(configuration: Configuration = Configuration()) { self.init(optional: nil, configuration) }

    /// - Parameter simulation: nil when requests leave the process.
    package convenience init(
        optional baseURL: URL?, _ configuration: Configuration, simulation: Simulation? = nil
    ) {
        precondition(
            configuration.maximumConcurrentTransferCount > 0
                && configuration.maximumConcurrentTransferCountPerOrigin > 0,
            "maximumConcurrentTransferCount and maximumConcurrentTransferCountPerOrigin must be 1 or more")
        precondition(
            [configuration.maximumBytesPerSecond, configuration.maximumBytesPerSecondPerOrigin]
                .allSatisfy { $0.map { $0 > 0 } ?? true }, "a limit of bytes per second must be 1 or more")
        let services = NetworkServices(
            limit: configuration.maximumConcurrentTransferCount,
            limitPerOrigin: configuration.maximumConcurrentTransferCountPerOrigin,
            bytesPerSecond: configuration.maximumBytesPerSecond,
            bytesPerSecondPerOrigin: configuration.maximumBytesPerSecondPerOrigin, governor: configuration.governor,
            simulation: simulation)
        self.init(baseURL: baseURL, configuration, services: services)
    }

    init(baseURL: URL?, _ configuration: Configuration = Configuration(), services: NetworkServices) {
        self.baseURL = baseURL.map(Self.withTrailingSlash)
        givenBaseURL = baseURL
        self.services = services
        shared = Mutex(Box(Shared(configuration)))
    }

    init(copying other: RequestOperationManager) {
        (baseURL, givenBaseURL) = (other.baseURL, other.givenBaseURL)
        services = other.services.copied()
        shared = Mutex(other.defaults)
    }

    /// Adds a slash to the path: `http://host/v1` becomes `http://host/v1/`; `http://host` stays; a query keeps its
    /// place.
    package static func withTrailingSlash(_ url: URL) -> URL {
        guard !url.path.isEmpty, !url.absoluteString.hasSuffix("/"),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), !parts.percentEncodedPath.hasSuffix("/")
        else { return url }
        parts.percentEncodedPath += "/"
        return parts.url ?? url
    }
}

// MARK: - Shared components

extension RequestOperationManager {
    var defaults: Box<Shared> { shared.withLock { $0 } }

    /// Sets a part. The old values are released outside the lock, because releasing the program's objects may run its
    /// code.
    private func set<Value: Sendable>(_ part: any WritableKeyPath<Shared, Value> & Sendable, _ value: Value) {
        let old = shared.withLock { shared in
            let old = shared
            shared = old.changed { $0[keyPath: part] = value }
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Makes requests from parameters. Default `HTTPRequestSerializer`.
    public var requestSerializer: any RequestSerializer {
        get {
            let defaults = defaults  // a part of a temporary value would be read from a copy of all parts
            return defaults.value.requestSerializer
        }
        set { set(\.requestSerializer, newValue) }
    }

    /// Header fields of every request that the manager makes from a method and a URL. Each replaces the request
    /// serializer's field of the same name; a field of a call replaces these fields. Default: no fields.
    ///
    /// ```swift
    /// manager.headers["X-Client"] = "demo"
    /// ```
    public var headers: HeaderFields {
        get {
            let defaults = defaults
            return defaults.value.headers
        }
        set { set(\.headers, newValue) }
    }

    /// Encodes the values of `RequestBody.json(_:encoder:)`. Default: Foundation's encoder with its default settings.
    /// Do not change an encoder after giving it to the manager.
    public var encoder: JSONEncoder {
        get { defaults.value.encoder }
        set { set(\.encoder, newValue) }
    }

    /// Decodes the values of the async verbs. Default: Foundation's decoder with its default settings. Do not change a
    /// decoder after giving it to the manager.
    public var decoder: JSONDecoder {
        get { defaults.value.decoder }
        set { set(\.decoder, newValue) }
    }

    /// Makes values from responses. Default `JSONResponseSerializer`.
    public var responseSerializer: any ResponseSerializer {
        get { defaults.value.serializer.serializer }
        set {
            set(\.serializer, ResolvedSerializer(newValue))
        }
    }

    /// Limits, trust and proxy of operations that are created from now on.
    public var transferOptions: TransferOptions {
        get { defaults.value.transferOptions }
        set { set(\.transferOptions, newValue) }
    }

    /// The time limits of operations that are created from now on. A part of `transferOptions`.
    public var timeouts: Timeouts {
        get { transferOptions.timeouts }
        set { set(\.transferOptions.timeouts, newValue) }
    }

    /// When failed requests are retried, for operations that are created from now on. A part of `transferOptions`.
    /// Default nil: never.
    public var retryPolicy: RetryPolicy? {
        get { transferOptions.retryPolicy }
        set { set(\.transferOptions.retryPolicy, newValue) }
    }

    /// The authenticator of operations that are created from now on. A part of `transferOptions`. Default nil.
    public var authenticator: SharedAuthenticator? {
        get { transferOptions.authenticator }
        set { set(\.transferOptions.authenticator, newValue) }
    }

    /// The adapters that change requests before each transfer, for operations that are created from now on. A part of
    /// `transferOptions`. Default: no adapters.
    public var requestAdapters: [any RequestAdapter] {
        get { transferOptions.requestAdapters }
        set { set(\.transferOptions.requestAdapters, newValue) }
    }

    /// The monitors that receive the events of the manager's operations: `transferOptions.eventMonitors`. Default: no
    /// monitors.
    public var eventMonitors: [any EventMonitor] {
        get { transferOptions.eventMonitors }
        set { set(\.transferOptions.eventMonitors, newValue) }
    }

    /// The queue for the handlers of operations that are created from now on. Default nil: the library's serial queue
    /// `org.bluebonnet.callbacks`.
    public var completionQueue: DispatchQueue? {
        get { defaults.value.completion.queue }
        set { set(\.completion.queue, newValue) }
    }

    /// The `completionGroup` of operations that are created from now on. Default nil.
    public var completionGroup: DispatchGroup? {
        get { defaults.value.completion.group }
        set { set(\.completion.group, newValue) }
    }

    /// The credential of operations that are created from now on. A part of `transferOptions`. Default nil.
    public var credential: URLCredential? {
        get { transferOptions.credential }
        set { set(\.transferOptions.credential, newValue) }
    }

    /// Whether operations that are created from now on may use the shared credential storage. A part of
    /// `transferOptions`. Default true.
    public var shouldUseCredentialStorage: Bool {
        get { transferOptions.usesCredentialStorage }
        set { set(\.transferOptions.usesCredentialStorage, newValue) }
    }

    /// The security policy of operations that are created from now on. A part of `transferOptions`.
    public var securityPolicy: SecurityPolicy {
        get { transferOptions.securityPolicy }
        set { set(\.transferOptions.securityPolicy, newValue) }
    }

    /// The `RequestOperation.onRedirect` of operations that are created from now on. Default nil.
    public var onRedirect: RequestOperation.RedirectBlock? {
        get { defaults.value.blocks.onRedirect }
        set { set(\.blocks.onRedirect, newValue) }
    }

    /// The `RequestOperation.onRetry` of operations that are created from now on. Default nil.
    public var onRetry: RequestOperation.RetryBlock? {
        get { defaults.value.blocks.onRetry }
        set { set(\.blocks.onRetry, newValue) }
    }

    /// The `RequestOperation.onChallenge` of operations that are created from now on. Default nil.
    public var onChallenge: RequestOperation.ChallengeBlock? {
        get { defaults.value.blocks.onChallenge }
        set { set(\.blocks.onChallenge, newValue) }
    }

    /// The `RequestOperation.onServerTrust` of operations that are created from now on. Default nil.
    public var onServerTrust: RequestOperation.ServerTrustBlock? {
        get { defaults.value.blocks.onServerTrust }
        set { set(\.blocks.onServerTrust, newValue) }
    }

    /// The `RequestOperation.onPinViolation` of operations that are created from now on. Default nil.
    public var onPinViolation: RequestOperation.PinViolationHandler? {
        get { defaults.value.blocks.onPinViolation }
        set { set(\.blocks.onPinViolation, newValue) }
    }

    /// The `RequestOperation.onCacheResponse` of operations that are created from now on. Default nil.
    public var onCacheResponse: RequestOperation.CacheResponseBlock? {
        get { defaults.value.blocks.onCacheResponse }
        set { set(\.blocks.onCacheResponse, newValue) }
    }

    /// Called with each operation that the manager creates, on the thread that creates the operation and before it can
    /// be started. The settings of the call are applied afterwards, its `configure` closure last. Default nil.
    ///
    /// The serializer, the handlers and the file of a call replace the values set here; add a handler that has to stay
    /// with `addCompletion`. If an operation makes its request late, as with a body or after other operations, the
    /// request does not exist yet.
    ///
    /// ```swift
    /// manager.configure = { operation in
    ///     if operation.request?.url?.pathExtension == "plist" {
    ///         operation.responseSerializer = PropertyListResponseSerializer()
    ///     }
    /// }
    /// ```
    public var configure: (@Sendable (_ operation: HTTPRequestOperation) -> Void)? {
        get { defaults.value.configure }
        set { set(\.configure, newValue) }
    }

    /// The manager's reachability monitor, for the program's use; it delays no operation. Default
    /// `NetworkReachabilityManager.shared`, which is not started.
    public var reachabilityManager: NetworkReachabilityManager {
        get { defaults.value.reachabilityManager }
        set { set(\.reachabilityManager, newValue) }
    }

    /// Closes the idle connections of the whole process, whichever manager opened them, except the connections in a
    /// pool with a running transfer.
    public func closeIdleConnectionsOfProcess() {
        NetworkThread.shared.submit { [services] in services.transport.closeIdleConnections() }
    }
}

// MARK: - Waiting operations

extension RequestOperationManager {
    /// The in-memory replacement for the network; nil when requests leave the process.
    package var simulation: Simulation? { services.simulation }

    /// Calls `body` later, on the network thread.
    ///
    /// - Parameters:
    ///   - limit: the largest number of origins.
    ///   - body: receives the number of the process's operations that wait for their next attempt, and the origins of
    ///     the manager's governor that are backing off or unavailable.
    package func withWaits(
        limit: Int, _ body: @escaping @Sendable (_ retryCount: Int, _ origins: [OriginStatus]) -> Void
    ) {
        NetworkThread.shared.submit { [services] in
            body(services.retryWaits.attemptCount, services.governor?.core.value.backingOffStatuses(limit: limit) ?? [])
        }
    }
}

// MARK: - Creating operations

extension RequestOperationManager {
    /// Creates an operation with the manager's components, without adding it to a queue.
    ///
    /// The request is sent unmodified: without the manager's `headers` and the header fields of its request serializer.
    public func operation(
        with request: HTTPRequest, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        operation(.request(request), serializer: responseSerializer.map { ResolvedSerializer($0) })
    }

    /// Creates an operation from a `URLRequest`, as `operation(with:responseSerializer:)` does.
    public func operation(
        with request: URLRequest, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        operation(RequestPlan.Source(request), serializer: responseSerializer.map { ResolvedSerializer($0) })
    }

    /// Creates an operation from an archive, without adding it to a queue. The operation has the manager's limits on
    /// concurrent transfers, its queue for handlers, and its authenticator and request adapters, which an archive does
    /// not contain.
    ///
    /// - Throws: `NetworkingError`, see `HTTPRequestOperation.init(archive:responseSerializer:)`.
    public func operation(
        with archive: OperationArchive, responseSerializer: (any ResponseSerializer)? = nil
    ) throws(NetworkingError) -> HTTPRequestOperation {
        let operation = try HTTPRequestOperation(
            archive: archive, responseSerializer: responseSerializer, services: services)
        operation.completionQueue = completionQueue
        operation.completionGroup = completionGroup
        let own = transferOptions
        if own.authenticator != nil || !own.requestAdapters.isEmpty {
            (operation.authenticator, operation.requestAdapters) = (own.authenticator, own.requestAdapters)
        }
        for monitor in own.eventMonitors { operation.addEventMonitor(monitor) }
        configure?(operation)
        if let responseSerializer { operation.responseSerializer = responseSerializer }
        return operation
    }

    /// Creates an operation that starts after other operations have ended, with a request made from their results. The
    /// operation is not added to a queue.
    ///
    /// - Parameters:
    ///   - dependencies: the operations to wait for.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - responseSerializer: nil for the manager's serializer.
    ///   - configure: called immediately with the operation.
    ///   - makeRequest: called once, off the network thread, when `dependencies` have ended, with any result. If it
    ///     throws, the operation fails with that error, and nothing is sent.
    public func operation(
        after dependencies: [Operation], timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        responseSerializer: (any ResponseSerializer)? = nil, configure: ((HTTPRequestOperation) -> Void)? = nil,
        makeRequest: @escaping @Sendable () throws -> URLRequest
    ) -> HTTPRequestOperation {
        let operation = operation(recipe: RequestPlan.Recipe { try $0.setRequest(makeRequest()) }, responseSerializer)
        for dependency in dependencies { operation.addDependency(dependency) }
        if let timeout { operation.timeouts.total = timeout }
        if priority != .normal { operation.queuePriority = priority }
        configure?(operation)
        return operation
    }

    /// Makes a request as the verbs do: the URL resolved against `baseURL`, the parameters by `requestSerializer`.
    ///
    /// - Throws: `NetworkingError` with `badURL` or `invalidRequest`.
    public func request(
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil
    ) throws(NetworkingError) -> URLRequest {
        var request = try requestSerializer.request(
            method: method, url: try RequestCheck.url(url.urlReference, relativeTo: base(of: url.urlReference)),
            parameters: parameters)
        for field in headers.combined {
            try RequestCheck.field(name: field.name, value: field.value)
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }

    /// Returns the URL against which a reference is resolved.
    func base(of reference: String) -> URL? { reference.isEmpty ? givenBaseURL : baseURL }

    /// Creates an operation whose plan is completed when its dependencies have ended.
    package func operation(
        recipe: RequestPlan.Recipe, _ responseSerializer: (any ResponseSerializer)? = nil, wantsDigest: Bool = false
    ) -> HTTPRequestOperation {
        operation(
            .recipe(recipe), serializer: responseSerializer.map { ResolvedSerializer($0) }, wantsDigest: wantsDigest)
    }

    /// Delivers any body unmodified, with the statuses that `responseSerializer` accepts.
    var bodySerializer: ResolvedSerializer {
        defaults.value.bodySerializer
    }

    /// - Parameter serializer: nil for the manager's serializer.
    func operation(
        _ source: RequestPlan.Source, serializer: ResolvedSerializer?, wantsDigest: Bool = false
    ) -> HTTPRequestOperation {
        let defaults = defaults
        var plan = RequestPlan(source, options: defaults.value.resolvedOptions)
        plan.wantsDigest = wantsDigest
        if !defaults.value.blocks.isEmpty { plan.blocks = defaults.value.blocks }
        let operation = HTTPRequestOperation(
            plan: plan, serializer: serializer ?? defaults.value.serializer, services: services,
            completion: defaults.value.completion)
        if let configure = defaults.value.configure {
            configure(operation)
            if let serializer { operation.setSerializer(serializer) }  // the call's serializer comes last
        }
        return operation
    }
}
