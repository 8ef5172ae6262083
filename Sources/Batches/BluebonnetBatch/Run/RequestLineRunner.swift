// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
public import Foundation

/// Runs request lines as operations of one `RequestOperationManager` and gives a result line for each.
///
/// Lines may be added while others run; each line has exactly one result, whatever happens. All members may be used
/// from any thread.
public final class RequestLineRunner: Sendable {
    /// The form of a result line's body.
    public enum BodyForm: String, Sendable, Codable, CaseIterable {
        /// No body.
        case none
        /// The text, when it is valid UTF-8.
        case text
        /// Any body, in base64 (RFC 4648, 4).
        case base64
    }

    /// How lines are run.
    public struct Settings: Sendable {
        /// The URL against which relative URLs are resolved.
        public var baseURL: URL?
        /// Header fields of every line that does not set a field of that name itself. Default none. As in lines, a
        /// value may refer to environment variables, and `$${` stands for `${`; it cannot refer to responses.
        public var headers = HeaderFields()
        /// The environment variables, by name, that `${env:NAME}` in a line or in `headers` refers to. Default those
        /// of the process when the settings are made.
        public var environment = ProcessInfo.processInfo.environment
        /// Transfers on the wire at once. Default 64.
        public var concurrency = 64
        /// Transfers on the wire at once to one scheme, host and port. Default 6.
        public var concurrencyPerOrigin = 6
        /// Bytes a second of all lines together, see `RequestOperationManager.Configuration`. Default nil: no limit.
        public var maximumBytesPerSecond: Int?
        /// Keeps requests within what their servers can bear. Default nil: the limits above only.
        public var governor: Governor?
        /// Limits and trust for lines that do not say otherwise.
        public var transferOptions = TransferOptions()
        /// The form of a result line's body. Default `text`.
        public var bodyForm = BodyForm.text
        /// Whether the first failure cancels what has not finished. Default false.
        public var cancelsAtFirstFailure = false
        /// How long `drain()` waits for running operations. Default 10 s.
        public var drainTimeout = Duration.seconds(10)
        /// The ids that later lines refer to; the responses of other lines are released after their result was
        /// delivered. Default nil: all responses are kept.
        public var referencedIDs: Set<String>?

        /// The defaults.
        public init() {}
    }

    private let settings: Settings
    private let executor: LineExecutor
    private let onResult: @Sendable (ResultLine) -> Void
    private let state = Mutex(RunnerState())
    /// The network thread's last report.
    private let waits = Mutex(RunnerWaits())
    private let group = DispatchGroup()

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - settings: limits, trust and what every line has.
    ///   - onResult: called once for each line, one at a time, on a queue of the runner's.
    public init(settings: Settings = Settings(), onResult: @escaping @Sendable (ResultLine) -> Void) {
        executor = LineExecutor(settings: settings)
        self.settings = settings
        self.onResult = onResult
    }

    /// Starts the network thread, libcurl and OpenSSL on other threads, so that the first line of the process need not
    /// wait for them. Useful when reading the lines takes time. Returns immediately.
    public static func prepare() { NetworkServices.prepare() }

    /// Starts a line; the lines that it depends on must have been added before.
    public func add(_ node: RequestLineGraph.Node) {
        add(node) { [onResult] in onResult($0.result) }
    }

    /// How a line ended.
    package struct End: Sendable {
        /// The result.
        package let result: ResultLine
        /// The response of a line that succeeded and that others refer to; nil for other lines.
        package let source: ReferenceSource?
    }

    private func add(_ node: RequestLineGraph.Node, onEnd: @escaping @Sendable (End) -> Void) {
        let operation = operation(of: node) { [self] in state.withLock { $0.dependencies(node.dependencies) } }
        let (dependencies, isCancelled) = state.withLock {
            $0.add(node.line.id, operation, dependencies: node.dependencies)
        }
        for dependency in dependencies { operation.addDependency(dependency) }
        let isReferenced = settings.referencedIDs?.contains(node.line.id) ?? true
        start(node, operation, isCancelled: isCancelled, isReferenced: isReferenced, onEnd)
    }

    /// Starts a line whose dependencies have all ended. Its outcome goes to `onEnd` instead of the runner's
    /// `onResult`, on the same queue; the runner does not keep it.
    ///
    /// - Parameters:
    ///   - needs: what the line depends on.
    ///   - isReferenced: whether the response is needed for other lines.
    package func add(
        _ node: RequestLineGraph.Node, needs: [RunnerDependency], isReferenced: Bool,
        onEnd: @escaping @Sendable (End) -> Void
    ) {
        let operation = operation(of: node) { needs }
        let isCancelled = state.withLock { $0.add(node.line.id, operation, needs: needs) }
        start(node, operation, isCancelled: isCancelled, isReferenced: isReferenced, onEnd)
    }

    /// Makes the operation of a line.
    ///
    /// - Parameter needs: what the line depends on, asked for when all of that has ended.
    private func operation(
        of node: RequestLineGraph.Node, needs: @escaping @Sendable () -> [RunnerDependency]
    ) -> HTTPRequestOperation {
        executor.operation(for: node.line.line, mayWait: !node.dependencies.isEmpty) {
            let needs = needs()
            for dependency in needs { try dependency.check() }
            return Dictionary(
                needs.map { (ByteString($0.id), $0.referenceSource) }, uniquingKeysWith: { one, _ in one }
            )
            .compactMapValues(\.self)
        }
    }

    private func start(
        _ node: RequestLineGraph.Node, _ operation: HTTPRequestOperation, isCancelled: Bool, isReferenced: Bool,
        _ onEnd: @escaping @Sendable (End) -> Void
    ) {
        group.enter()
        let (id, hasOutput) = (node.line.id, node.line.line.output != nil)
        let hidden = executor.hiddenVariables(of: node.line.line)
        operation.addCompletionHandler { [self] _ in
            finish(id, operation, hasOutput: hasOutput, hidden, isReferenced: isReferenced, onEnd)
        }
        if isCancelled { operation.cancel() }
        executor.start(operation)
    }

    /// Cancels everything that has not finished; each line still gets its result.
    public func cancel() {
        executor.manager.stopStarting()  // else the places of those that are cancelled first go to others
        for operation in state.withLock({ $0.cancel() }) { operation.cancel() }
    }

    /// Drains the runner: starts no more operations, lets running ones finish for at most `Settings.drainTimeout`, then
    /// cancels all that are unfinished. Each line still gets its result.
    public func drain() async {
        _ = await executor.manager.drainLeavingUnstarted(timeout: settings.drainTimeout)
        cancel()
    }

    /// Suspends the calling task until the results of all lines added so far have been delivered.
    public func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            group.notify(queue: executor.queue) { waiter.resume() }
        }
    }

    /// Returns the state of the run. Waiting operations are as at the last call.
    ///
    /// - Parameter count: how many of the transfers under way to name, the largest ones.
    public func snapshot(largest count: Int) -> Snapshot {
        let standing = state.withLock { $0.standing }
        var snapshot = standing.snapshot(largest: count)
        let now = waits.withLock { $0 }
        snapshot.waitingRetryCount = now.retryCount
        snapshot.heldOrigins = now.origins.compactMap { RequestLineRunner.Snapshot.HeldOrigin($0, now: Date()) }
        // For the next snapshot: the caller must not wait for the network thread.
        executor.manager.withWaits(limit: 16) { [weak self] retryCount, origins in
            self?.waits.withLock { $0 = RunnerWaits(retryCount: retryCount, origins: origins) }
        }
        return snapshot
    }
}

// MARK: - One line

extension RequestLineRunner {
    private func finish(
        _ id: String, _ operation: HTTPRequestOperation, hasOutput: Bool, _ hidden: HiddenVariables?,
        isReferenced: Bool,
        _ onEnd: @Sendable (End) -> Void
    ) {
        let ending = RunnerEnding(operation, isReferenced: isReferenced)
        let outcome = state.withLock { $0.finish(id, ending) }
        let result = executor.result(id, outcome, operation, hasOutput: hasOutput, hidden)
        onEnd(End(result: result, source: outcome == .success ? ending.source : nil))
        if outcome == .failure && settings.cancelsAtFirstFailure { cancel() }
        group.leave()
    }
}

// MARK: - Header fields of every line

extension RequestLineRunner.Settings {
    /// Adds a field to `headers`, written as `Name: value`. The blanks around the value do not count.
    ///
    /// - Parameter text: the field. A value may refer to the environment, as in `Bearer ${env:TOKEN}`: the reference is
    ///   kept, and replaced when a line is sent. It refers to no response, because it is that of every line. `$${`
    ///   stands for `${`.
    /// - Throws: `NetworkingError` with `invalidRequest` when the text has no colon, when name or value cannot be sent,
    ///   when the field says how a body is framed, or when the value refers to a response.
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
        guard FieldSyntax.isToken(name.utf8) else {  // not shown: it may be a secret whose name was left out
            throw Self.unusable("the name of a header field is not made of token characters only")
        }
        try RequestCheck.field(name: name, value: value)
        guard !RequestCheck.isFraming(name), name.lowercased() != "content-type" else {
            throw Self.unusable("the header \(name) depends on each request's body, and is not for every line")
        }
        if FieldSyntax.isSameName(name, HeaderFields.idempotencyKeyName) { try RequestCheck.idempotencyKey(value) }
        guard try Self.template(value, of: name).references.isEmpty else {
            throw Self.unusable(
                "the value of header \(name) refers to a response, which only a line can do; write $${ for ${")
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

    /// A message without what it quotes of the value, which may be a secret.
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
