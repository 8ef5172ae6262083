// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Dispatch
public import Foundation
public import FoundationNetworking

/// Makes and runs request operations that share a base URL, serializers, limits, trust and a queue for handlers.
///
/// ```swift
/// let manager = RequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/")!)
/// let me: JSONValue = try await manager.get("me")
/// ```
///
/// All members may be used from any thread. A change of a property affects only operations that are made later.
public final class RequestOperationManager: Sendable {
    private struct Shared: Sendable {
        var requestSerializer: any RequestSerializer
        var serializer: ResolvedSerializer {
            didSet { bodySerializer = serializer.ofBodies }
        }
        private(set) var bodySerializer: ResolvedSerializer
        var resolvedOptions: ResolvedOptions
        var completion = CompletionPlace()
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

    /// The URL that relative URLs are resolved against; its path ends in a slash. Nil when there is none.
    public let baseURL: URL?
    /// The base URL as it was given, which an empty reference means: an endpoint need not end in a slash.
    private let givenBaseURL: URL?
    /// The queue that the verbs add their operations to.
    public let operationQueue = RequestOperationQueue()
    private let shared: Mutex<Box<Shared>>
    let services: NetworkServices

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: a path that does not end in a slash gets one, so that relative URLs go below it.
    ///   - configuration: limits and options.
    public convenience init(baseURL: URL, configuration: Configuration = Configuration()) {
        self.init(optional: baseURL, configuration)
    }

    /// Makes a manager without a base URL, for absolute URLs.
    public convenience init(configuration: Configuration = Configuration()) { self.init(optional: nil, configuration) }

    /// - Parameter simulation: nil when requests leave the process.
    package convenience init(
        optional baseURL: URL?, _ configuration: Configuration, simulation: Simulation? = nil
    ) {
        precondition(
            configuration.maximumConcurrentTransferCount > 0
                && configuration.maximumConcurrentTransferCountPerOrigin > 0,
            "maximumConcurrentTransferCount and maximumConcurrentTransferCountPerOrigin have to be 1 or more")
        precondition(
            [configuration.maximumBytesPerSecond, configuration.maximumBytesPerSecondPerOrigin]
                .allSatisfy { $0.map { $0 > 0 } ?? true }, "a limit of bytes a second has to be 1 or more")
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

    /// `http://host/v1` becomes `http://host/v1/`; `http://host` stays; a query keeps its place.
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
    private var defaults: Box<Shared> { shared.withLock { $0 } }

    /// Sets a part. The old values are let go outside the lock: releasing what a user gave may run code of theirs.
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
        get { defaults.value.requestSerializer }
        set { set(\.requestSerializer, newValue) }
    }

    /// Header fields of every request that the manager makes from a method and a URL. Each wins over the request
    /// serializer's field of that name; a call's field wins over these. Default none.
    ///
    /// ```swift
    /// manager.headers["X-Client"] = "demo"
    /// ```
    public var headers: HeaderFields {
        get { defaults.value.headers }
        set { set(\.headers, newValue) }
    }

    /// Encodes the values of `RequestBody.json(_:encoder:)`. Default: Foundation's encoder as it is. Do not change an
    /// encoder after giving it to the manager.
    public var encoder: JSONEncoder {
        get { defaults.value.encoder }
        set { set(\.encoder, newValue) }
    }

    /// Decodes the values of the verbs that wait. Default: Foundation's decoder as it is. Do not change a decoder after
    /// giving it to the manager.
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

    /// Limits, trust and proxy of the operations that are made from now on.
    public var transferOptions: TransferOptions {
        get { defaults.value.transferOptions }
        set { set(\.transferOptions, newValue) }
    }

    /// The time limits of the operations that are made from now on. A part of `transferOptions`.
    public var timeouts: Timeouts {
        get { transferOptions.timeouts }
        set { set(\.transferOptions.timeouts, newValue) }
    }

    /// When requests of the operations that are made from now on are sent again after a failure. A part of
    /// `transferOptions`. Default nil: never.
    public var retryPolicy: RetryPolicy? {
        get { transferOptions.retryPolicy }
        set { set(\.transferOptions.retryPolicy, newValue) }
    }

    /// The authenticator of the operations that are made from now on. A part of `transferOptions`. Default nil.
    public var authenticator: SharedAuthenticator? {
        get { transferOptions.authenticator }
        set { set(\.transferOptions.authenticator, newValue) }
    }

    /// What changes the requests of the operations that are made from now on, before each transfer. A part of
    /// `transferOptions`. Default none.
    public var requestAdapters: [any RequestAdapter] {
        get { transferOptions.requestAdapters }
        set { set(\.transferOptions.requestAdapters, newValue) }
    }

    /// The queue on which handlers of the operations run that are made from now on. Default nil: the library's serial
    /// queue `org.bluebonnet.callbacks`.
    public var completionQueue: DispatchQueue? {
        get { defaults.value.completion.queue }
        set { set(\.completion.queue, newValue) }
    }

    /// The `completionGroup` of the operations that are made from now on. Default nil.
    public var completionGroup: DispatchGroup? {
        get { defaults.value.completion.group }
        set { set(\.completion.group, newValue) }
    }

    /// The credential of the operations that are made from now on. A part of `transferOptions`. Default nil.
    public var credential: URLCredential? {
        get { transferOptions.credential }
        set { set(\.transferOptions.credential, newValue) }
    }

    /// Whether operations that are made from now on may ask the shared credential storage; a part of `transferOptions`.
    /// Default true.
    public var shouldUseCredentialStorage: Bool {
        get { transferOptions.usesCredentialStorage }
        set { set(\.transferOptions.usesCredentialStorage, newValue) }
    }

    /// The security policy of the operations that are made from now on. A part of `transferOptions`.
    public var securityPolicy: SecurityPolicy {
        get { transferOptions.securityPolicy }
        set { set(\.transferOptions.securityPolicy, newValue) }
    }

    /// The `RequestOperation.onRedirect` of the operations that are made from now on. Default nil.
    public var onRedirect: RequestOperation.RedirectBlock? {
        get { defaults.value.blocks.onRedirect }
        set { set(\.blocks.onRedirect, newValue) }
    }

    /// The `RequestOperation.onRetry` of the operations that are made from now on. Default nil.
    public var onRetry: RequestOperation.RetryBlock? {
        get { defaults.value.blocks.onRetry }
        set { set(\.blocks.onRetry, newValue) }
    }

    /// The `RequestOperation.onChallenge` of the operations that are made from now on. Default nil.
    public var onChallenge: RequestOperation.ChallengeBlock? {
        get { defaults.value.blocks.onChallenge }
        set { set(\.blocks.onChallenge, newValue) }
    }

    /// The `RequestOperation.onServerTrust` of the operations that are made from now on. Default nil.
    public var onServerTrust: RequestOperation.ServerTrustBlock? {
        get { defaults.value.blocks.onServerTrust }
        set { set(\.blocks.onServerTrust, newValue) }
    }

    /// The `RequestOperation.onPinViolation` of the operations that are made from now on. Default nil.
    public var onPinViolation: RequestOperation.PinViolationHandler? {
        get { defaults.value.blocks.onPinViolation }
        set { set(\.blocks.onPinViolation, newValue) }
    }

    /// The `RequestOperation.onCacheResponse` of the operations that are made from now on. Default nil.
    public var onCacheResponse: RequestOperation.CacheResponseBlock? {
        get { defaults.value.blocks.onCacheResponse }
        set { set(\.blocks.onCacheResponse, newValue) }
    }

    /// Called with each operation that the manager makes, on the thread that makes the operation and before it can be
    /// started; then comes what the call says, its `configure` closure last. Default nil.
    ///
    /// The serializer, the handlers and the file that a call names replace those that are set here; a handler that is
    /// to stay is added with `addCompletion`. The request of an operation that makes its request late, as with a body
    /// or after other operations, is not there yet.
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

    /// Closes the idle connections of the whole process, whichever manager opened them, except those in a connection
    /// pool with a running transfer.
    public func closeIdleConnectionsOfProcess() {
        NetworkThread.shared.submit { [services] in services.transport.closeIdleConnections() }
    }
}

// MARK: - What waits

extension RequestOperationManager {
    /// What answers the manager's requests in memory; nil when they leave the process.
    package var simulation: Simulation? { services.simulation }

    /// Calls `body` later, on the network thread.
    ///
    /// - Parameters:
    ///   - limit: the most origins.
    ///   - body: gets the number of the process's operations that wait for their next attempt, and origins that the
    ///     manager's governor holds.
    package func withWaits(
        limit: Int, _ body: @escaping @Sendable (_ retryCount: Int, _ origins: [OriginStatus]) -> Void
    ) {
        NetworkThread.shared.submit { [services] in
            body(services.retryWaits.attemptCount, services.governor?.core.value.heldStatuses(limit: limit) ?? [])
        }
    }
}

// MARK: - Making operations

extension RequestOperationManager {
    /// Makes an operation with the manager's components; it is not added to a queue.
    ///
    /// The request is sent as it is: without the manager's `headers` and without those of its request serializer.
    public func operation(
        with request: HTTPRequest, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        operation(.request(request), serializer: responseSerializer.map { ResolvedSerializer($0) })
    }

    /// Makes an operation from Foundation's form of a request, as `operation(with:responseSerializer:)` does.
    public func operation(
        with request: URLRequest, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        operation(RequestPlan.Source(request), serializer: responseSerializer.map { ResolvedSerializer($0) })
    }

    /// Makes an operation from an archive, with the manager's limits on concurrent transfers and its queue for
    /// handlers, and with the manager's authenticator and request adapters, which an archive does not have; it is not
    /// added to a queue.
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
        configure?(operation)
        if let responseSerializer { operation.responseSerializer = responseSerializer }
        return operation
    }

    /// Makes an operation that starts after other operations have ended, with a request made from their results; it is
    /// not added to a queue.
    ///
    /// - Parameters:
    ///   - dependencies: the operations to wait for.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - responseSerializer: nil is the manager's.
    ///   - configure: called at once with the operation.
    ///   - makeRequest: called once, off the network thread, when `dependencies` have ended, with any result. An error
    ///     that it throws is the operation's error, and nothing is sent.
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

    /// The URL that a reference is resolved against.
    func base(of reference: String) -> URL? { reference.isEmpty ? givenBaseURL : baseURL }

    /// Makes an operation whose plan is completed when its dependencies have ended.
    package func operation(
        recipe: RequestPlan.Recipe, _ responseSerializer: (any ResponseSerializer)? = nil, wantsDigest: Bool = false
    ) -> HTTPRequestOperation {
        operation(
            .recipe(recipe), serializer: responseSerializer.map { ResolvedSerializer($0) }, wantsDigest: wantsDigest)
    }

    /// Delivers any body as it is, with the statuses that `responseSerializer` accepts.
    var bodySerializer: ResolvedSerializer {
        defaults.value.bodySerializer
    }

    /// - Parameter serializer: nil is the manager's.
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
            if let serializer { operation.setSerializer(serializer) }  // what the call says comes last
        }
        return operation
    }
}
