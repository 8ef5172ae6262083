// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetPipelines
internal import Dispatch
public import Foundation

/// Runs request lines as operations of one `RequestOperationManager`, and delivers a result line for each.
///
/// Lines can be added while others run. Each line has exactly one result in all cases. All members can be used from
/// any thread.
public final class RequestLineRunner: Sendable {
    /// The form of a result line's body.
    public enum BodyForm: String, Sendable, Codable, CaseIterable {
        /// No body.
        case none
        /// The text, if it is valid UTF-8.
        case text
        /// Any body, in base64 (RFC 4648, 4).
        case base64
    }

    /// The settings with which lines run.
    public struct Settings: Sendable {
        /// The URL against which relative URLs are resolved.
        public var baseURL: URL?
        /// Header fields that are added to every line that does not set a field of the same name. Default none. As in
        /// lines, a value can refer to environment variables, and `$${` means `${`. It cannot refer to responses.
        public var headers = HeaderFields()
        /// The environment variables, by name, for `${env:NAME}` in lines and in `headers`. Default: the variables of
        /// the process at the time the settings are made.
        public var environment = ProcessInfo.processInfo.environment
        /// The maximum number of concurrent transfers. Default 64.
        public var concurrency = 64
        /// The maximum number of concurrent transfers to one scheme, host and port. Default 6.
        public var concurrencyPerOrigin = 6
        /// The maximum rate of all lines together, in bytes per second; see `RequestOperationManager.Configuration`.
        /// Default nil: no limit.
        public var maximumBytesPerSecond: Int?
        /// The number of items of a line with `stream` and without `maxItems`, after which its response is ended as a
        /// success. Default nil: no limit.
        public var maximumItemCount: Int?
        /// Limits requests per server. Default nil: only the limits above apply.
        public var governor: Governor?
        /// Limits and trust for lines that do not set their own.
        public var transferOptions = TransferOptions()
        /// The form of a result line's body. Default `text`.
        public var bodyForm = BodyForm.text
        /// Whether the first failure cancels all unfinished lines. Default false.
        public var cancelsAtFirstFailure = false
        /// The time that `drain()` waits for running operations. Default 10 s.
        public var drainTimeout = Duration.seconds(10)
        /// The ids that later lines refer to. Responses of other lines are released after their result was delivered.
        /// Default nil: all responses are kept.
        public var referencedIDs: Set<String>?
        /// The members of the state file, for `${state.NAME}` in lines. Default nil: there is no such file.
        public var state: JSONObject?
        /// Receives each line just before its operation is started, on any thread. The name of the operation is the
        /// name of the line.
        package var onLineStart: (@Sendable (StartedLine) -> Void)?
        /// Receives the values for the state file of each operation that succeeded, before its result, on any thread.
        package var onMemories: (@Sendable ([RememberedValues]) -> Void)?

        /// Makes settings with their defaults.
        public init() {}
    }

    private let settings: Settings
    private let executor: LineExecutor
    private let onResult: @Sendable (ResultLine) -> Void
    private let state = Mutex(RunnerState())
    /// The latest report of the network thread.
    private let waits = Mutex(RunnerWaits())
    private let group = DispatchGroup()

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - settings: the settings of the run.
    ///   - onResult: called once for each line, one at a time, on the runner's own queue.
    public init(settings: Settings = Settings(), onResult: @escaping @Sendable (ResultLine) -> Void) {
        executor = LineExecutor(settings: settings)
        self.settings = settings
        self.onResult = onResult
    }

    /// Starts the network thread, and initializes libcurl and OpenSSL on other threads, so that the first line of the
    /// process need not wait for them. Useful if reading the lines takes time. Returns immediately.
    public static func prepare() { NetworkServices.prepare() }

    /// Starts a line. The lines that it depends on must have been added before.
    ///
    /// A line with pages, elements, polling or a stream fails with `invalidRequest`: the runner makes one operation and
    /// one result of a line.
    public func add(_ node: RequestLineGraph.Node) {
        add(node) { [onResult] in onResult($0.result) }
    }

    /// The end of a line.
    package struct End: Sendable {
        /// The result.
        package var result: ResultLine
        /// The response of a line that succeeded and that other lines refer to; else nil.
        package var source: ReferenceSource?
        /// The encoded result line, if an earlier run has recorded the end.
        package private(set) var recordedLine: Data?
        /// The findings of the line's pipeline; nil without a pipeline.
        var findings: LineFindings.Facts?

        init(result: ResultLine, source: ReferenceSource?, findings: LineFindings.Facts? = nil) {
            (self.result, self.source, self.findings) = (result, source, findings)
        }

        /// Makes an end that an earlier run has recorded.
        ///
        /// - Parameters:
        ///   - line: the encoded result line.
        ///   - findings: the `recordedFindings` of then.
        package init(recorded result: ResultLine, line: Data, source: ReferenceSource? = nil, findings: Data? = nil) {
            (self.result, self.source, recordedLine) = (result, source, line)
            self.findings = findings.flatMap { LineFindings.Facts(recorded: $0, values: result.values) }
        }

        /// The facts in the response about the rest of the run, for the journal; nil without such facts.
        package var recordedFindings: Data? { findings?.recorded }

        /// The values for the state file, sorted by the names of the members.
        package func memories(of line: RequestLine) -> [RememberedValues] {
            findings?.memories(by: line.boxedPipeline?.value.remember ?? [:]) ?? []
        }
    }

    private func add(_ node: RequestLineGraph.Node, onEnd: @escaping @Sendable (End) -> Void) {
        let findings = LineFindings(of: node)
        let isOneRequest =
            LineParts(node.line.line) == nil && (node.line.line.boxedPipeline?.value.isOneResponse ?? true)
        let operation = operation(of: LineInstance(node), findings, isOneRequest: isOneRequest) { [self] in
            state.withLock { $0.dependencies(node.dependencies) }
        }
        let (dependencies, isCancelled) = state.withLock {
            $0.add(node.line.id, operation, dependencies: node.dependencies)
        }
        for dependency in dependencies { operation.addDependency(dependency) }
        let isReferenced = settings.referencedIDs?.contains(node.line.id) ?? true
        start(
            LineInstance(node), node.line.id, operation, isCancelled: isCancelled, isReferenced: isReferenced, findings,
            nil, onEnd)
    }

    /// Starts an operation of a line whose dependencies have all ended. Its end goes to `onEnd` instead of the runner's
    /// `onResult`, on the same queue. The runner does not keep its outcome.
    ///
    /// - Parameters:
    ///   - needs: the dependencies of the line.
    ///   - isReferenced: whether other lines refer to the response.
    package func add(
        _ instance: LineInstance, needs: [RunnerDependency], isReferenced: Bool,
        onEnd: @escaping @Sendable (End) -> Void
    ) {
        add(instance, needs: needs, isReferenced: isReferenced, consume: nil, onEnd: onEnd)
    }

    /// Consumes the response of an operation while it arrives. Called before the operation is started; the closure
    /// starts it by requesting the response.
    typealias Consumer = @Sendable (StreamedOperation) async -> Void

    /// - Parameter consume: consumes the response; nil to keep it in memory. The line ends after the closure.
    func add(
        _ instance: LineInstance, needs: [RunnerDependency], isReferenced: Bool, consume: Consumer?,
        onEnd: @escaping @Sendable (End) -> Void
    ) {
        let findings = LineFindings(of: instance.node)
        let isConsumed = consume != nil || instance.line.boxedPipeline?.value.stream == nil
        let operation = operation(of: instance, findings, isOneRequest: isConsumed) { needs }
        let (name, isCancelled) = state.withLock { $0.add(instance.id, operation, needs: needs) }
        start(instance, name, operation, isCancelled: isCancelled, isReferenced: isReferenced, findings, consume, onEnd)
    }

    /// Makes the operation of a line.
    ///
    /// - Parameter needs: returns the dependencies of the line. Called when all of them have ended.
    private func operation(
        of instance: LineInstance, _ findings: LineFindings?, isOneRequest: Bool = true,
        needs: @escaping @Sendable () -> [RunnerDependency]
    ) -> HTTPRequestOperation {
        let node = instance.node
        let started = executor.started(node.line.line, name: instance.id, dependencies: node.dependencies)
        return executor.operation(
            for: instance, findings: findings, started, mayWait: node.readsResponses
        ) {
            guard isOneRequest else {
                throw NetworkingError(
                    .invalidRequest,
                    "a line with pages, elements, polling or a stream is more than one operation or result: "
                        + "run it with DurableBatch or the command")
            }
            let needs = needs()
            for dependency in needs { try dependency.check() }
            guard node.readsResponses else { return [:] }
            return Dictionary(
                needs.map { (ByteString($0.id), $0.referenceSource) }, uniquingKeysWith: { one, _ in one }
            )
            .compactMapValues(\.self)
        }
    }

    private func start(
        _ instance: LineInstance, _ name: String, _ operation: HTTPRequestOperation, isCancelled: Bool,
        isReferenced: Bool, _ findings: LineFindings?, _ consume: Consumer?,
        _ onEnd: @escaping @Sendable (End) -> Void
    ) {
        group.enter()
        let (id, hasOutput) = (instance.id, instance.line.output != nil)
        let hidden = executor.hiddenVariables(of: instance.line)
        let memory = settings.onMemories == nil ? [:] : instance.line.boxedPipeline?.value.remember ?? [:]
        let consumption = consume.map { consume in
            if isCancelled { operation.cancel() }
            let streamed = StreamedOperation(operation, executor.manager, findings)
            return Task { await consume(streamed) }
        }
        operation.addCompletionHandler { [self] _ in
            guard let consumption else { return finish() }
            Task { [queue = executor.queue] in
                await consumption.value
                queue.async { finish() }
            }
        }
        guard consumption == nil else { return }
        if isCancelled { operation.cancel() }
        executor.start(operation)

        @Sendable func finish() {
            let facts = findings?.facts
            let ending = RunnerEnding(operation, isReferenced: isReferenced, values: facts?.values)
            let outcome = state.withLock { $0.finish(name, ending) }
            let result = executor.result(id, outcome, operation, hasOutput: hasOutput, hidden, facts)
            if outcome == .success, let facts, !memory.isEmpty { settings.onMemories?(facts.memories(by: memory)) }
            onEnd(End(result: result, source: outcome == .success ? ending.source : nil, findings: facts))
            if outcome == .failure && settings.cancelsAtFirstFailure { cancel() }
            group.leave()
        }
    }

    /// Cancels all unfinished lines. Each line still gets its result.
    public func cancel() {
        executor.manager.stopStarting()  // else slots freed by cancelled operations go to other operations
        for operation in state.withLock({ $0.cancel() }) { operation.cancel() }
    }

    /// Drains the runner: starts no further operations, waits for running ones for at most `Settings.drainTimeout`,
    /// then cancels all unfinished operations. Each line still gets its result.
    public func drain() async {
        _ = await executor.manager.drainLeavingUnstarted(timeout: settings.drainTimeout)
        cancel()
    }

    /// Waits for the validations of stale responses that a cache has begun in the background, for at most
    /// `Settings.drainTimeout`. Returns at once after `cancel()` and `drain()`.
    public func finishValidations() async {
        guard !state.withLock({ $0.isCancelled }) else { return }
        await executor.manager.finishValidations(within: settings.drainTimeout)
    }

    /// Suspends the calling task until the results of all lines added so far have been delivered.
    public func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            group.notify(queue: executor.queue) { waiter.resume() }
        }
    }

    /// Returns the state of the run. Waiting operations are as found by the previous call.
    ///
    /// - Parameter count: the number of running transfers to list, the largest ones.
    public func snapshot(largest count: Int) -> Snapshot {
        let standing = state.withLock { $0.standing }
        var snapshot = standing.snapshot(largest: count)
        let now = waits.withLock { $0 }
        snapshot.waitingRetryCount = now.retryCount
        snapshot.heldOrigins = now.origins.compactMap { RequestLineRunner.Snapshot.HeldOrigin($0, now: Date()) }
        // For the next snapshot, because the caller must not wait for the network thread.
        executor.manager.withWaits(limit: 16) { [weak self] retryCount, origins in
            self?.waits.withLock { $0 = RunnerWaits(retryCount: retryCount, origins: origins) }
        }
        return snapshot
    }
}

// MARK: - Header fields of every line

extension RequestLineRunner.Settings {
    /// Adds a field to `headers`, written as `Name: value`. Blanks around the value are ignored.
    ///
    /// - Parameter text: the field. The value can refer to environment variables, as in `Bearer ${env:TOKEN}`; such a
    ///   reference is replaced when a line is sent. The value cannot refer to a response, because every line has the
    ///   field. `$${` means `${`.
    /// - Throws: `NetworkingError` with `invalidRequest`, if the text has no colon, the name or the value cannot be
    ///   sent, the field depends on the body of each request (framing fields and `Content-Type`), or the value refers
    ///   to a response.
    public mutating func addHeader(_ text: String) throws(NetworkingError) {
        headers.add(try HeaderFields.Field(lineText: text))
    }
}

extension HeaderFields.Field {
    fileprivate init(lineText text: String) throws(NetworkingError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw Self.unusable("a header field has no colon: write Name: value")
        }
        let name = String(text[..<colon])
        let value = Self.trimmed(text[text.index(after: colon)...])
        guard FieldSyntax.isToken(name.utf8) else {  // not shown: it may be a secret whose name is missing
            throw Self.unusable("the name of a header field is not a valid token")
        }
        try RequestCheck.field(name: name, value: value)
        guard !RequestCheck.isFraming(name), name.lowercased() != "content-type" else {
            throw Self.unusable("the header \(name) depends on the body of each request: set it in the lines")
        }
        if FieldSyntax.isSameName(name, HeaderFields.idempotencyKeyName) { try RequestCheck.idempotencyKey(value) }
        guard try Self.template(value, of: name).references.isEmpty else {
            throw Self.unusable(
                "the value of header \(name) refers to a response, allowed only in a line; write $${ for a literal ${")
        }
        self.init(name: name, value: value)
    }

    private static func template(_ value: String, of name: String) throws(NetworkingError) -> ReferenceTemplate {
        do throws(RequestLineError) {
            return try ReferenceTemplate(parsing: value)
        } catch {
            throw unusable("the value of header \(name) cannot be used: \(withoutQuotation(error.message))")
        }
    }

    /// Returns a message without its quotation of the value, which may be a secret.
    private static func withoutQuotation(_ message: String) -> Substring {
        [", found ", " in \"${"].compactMap { message.range(of: $0)?.lowerBound }.min().map { message[..<$0] }
            ?? message[...]
    }

    private static func trimmed(_ value: Substring) -> String {
        var value = value
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        return String(value)
    }

    private static func unusable(_ words: String) -> NetworkingError { NetworkingError(.invalidRequest, words) }
}
