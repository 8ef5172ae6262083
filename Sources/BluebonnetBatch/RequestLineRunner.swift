// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Dispatch
public import Foundation
internal import Synchronization

/// Runs request lines as operations of one `RequestOperationManager` and gives a result line for each.
///
/// Lines may be added while others run; each line has exactly one result, whatever happens. All members may be used
/// from any thread.
public final class RequestLineRunner: Sendable {
    /// The form of a result line's body.
    public enum BodyForm: String, Sendable, CaseIterable {
        /// No body.
        case none
        /// The text, when it is valid UTF-8.
        case text
        /// Any body, in base64 (RFC 4648, 4).
        case base64
    }

    /// How lines are run.
    public struct Settings: Sendable {
        /// What relative URLs are resolved against.
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
    private let manager: RequestOperationManager
    private let onResult: @Sendable (ResultLine) -> Void
    private let state = Mutex(RunnerState())
    /// As the network thread has told it last.
    private let waits = Mutex(RunnerWaits())
    private let queue = DispatchQueue(label: "org.bluebonnet.request-lines")
    private let group = DispatchGroup()
    /// Where the steps of scripts are taken: no user's code runs there.
    private static let scripts = DispatchQueue(label: "org.bluebonnet.request-line-scripts")

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - settings: limits, trust and what every line has.
    ///   - onResult: called once for each line, one at a time, on a queue of the runner's.
    public init(settings: Settings = Settings(), onResult: @escaping @Sendable (ResultLine) -> Void) {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = settings.concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = settings.concurrencyPerOrigin
        configuration.maximumBytesPerSecond = settings.maximumBytesPerSecond
        configuration.governor = settings.governor
        configuration.transferOptions = settings.transferOptions
        manager = RequestOperationManager(optional: settings.baseURL, configuration)
        manager.completionQueue = queue
        manager.responseSerializer = HTTPResponseSerializer()
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
        /// The body in memory of a line that succeeded and that others refer to; nil for other lines.
        package let referencedBody: Data?
    }

    /// Takes a line into account that has its outcome already, and never runs. Calls no handler.
    ///
    /// - Parameter source: the response, where other lines refer to it.
    package func restore(
        _ id: String, _ outcome: ResultLine.Outcome, receivedByteCount: Int64 = 0, source: ReferenceSource? = nil
    ) {
        state.withLock { $0.restore(id, outcome, receivedByteCount: receivedByteCount, source: source) }
    }

    /// Starts a line whose end goes to `onEnd` instead of the runner's `onResult`, on the same queue.
    package func add(_ node: RequestLineGraph.Node, onEnd: @escaping @Sendable (End) -> Void) {
        let id = node.line.id
        // References are looked up in bodies of any size, and files may be where nobody answers.
        let isQuick = node.dependencies.isEmpty && !node.line.line.readsFiles
        let recipe = RequestPlan.Recipe(isQuick: isQuick) { [self] plan in try complete(&plan, for: node) }
        let operation = manager.operation(recipe: recipe, wantsDigest: true)
        operation.queuePriority = node.line.line.priority.queuePriority
        let script = node.line.line.script
        if !script.isEmpty { operation.setStartHandler { Self.play(script, on: $0) } }
        let (dependencies, isCancelled) = state.withLock { $0.add(id, operation, dependencies: node.dependencies) }
        for dependency in dependencies { operation.addDependency(dependency) }
        group.enter()
        let hasOutput = node.line.line.output != nil
        let hidden = HiddenVariables(of: node.line.line, settings.environment)
        operation.addCompletionHandler { [self] _ in finish(id, operation, hasOutput: hasOutput, hidden, onEnd) }
        if isCancelled { operation.cancel() }
        manager.operationQueue.addOperation(operation)
    }

    /// Cancels everything that has not finished; each line still gets its result.
    public func cancel() {
        manager.stopStarting()  // else the places of those that are cancelled first go to others
        for operation in state.withLock({ $0.cancel() }) { operation.cancel() }
    }

    /// Drains the runner: starts no more operations, lets running ones finish for at most `Settings.drainTimeout`, then
    /// cancels all that are unfinished. Each line still gets its result.
    public func drain() async {
        _ = await manager.drain(timeout: settings.drainTimeout)
        cancel()
    }

    /// Suspends the calling task until the results of all lines added so far have been delivered.
    public func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            group.notify(queue: queue) { waiter.resume() }
        }
    }

    /// Returns the state of the run. What waits is that of the moment of the last call.
    ///
    /// - Parameter count: how many of the transfers under way to name, the largest ones.
    public func snapshot(largest count: Int) -> Snapshot {
        let standing = state.withLock { $0.standing }
        var snapshot = standing.snapshot(largest: count)
        let now = waits.withLock { $0 }
        snapshot.waitingRetryCount = now.retryCount
        snapshot.heldOrigins = now.origins.compactMap { RequestLineRunner.Snapshot.HeldOrigin($0, now: Date()) }
        // For the next snapshot: who asks must not wait for the network thread.
        manager.withWaits(limit: 16) { [weak self] retryCount, origins in
            self?.waits.withLock { $0 = RunnerWaits(retryCount: retryCount, origins: origins) }
        }
        return snapshot
    }
}

// MARK: - One line

extension RequestLineRunner {
    /// Completes the plan of a line's operation when its dependencies have ended.
    private func complete(_ plan: inout RequestPlan, for node: RequestLineGraph.Node) throws {
        var sources: [String: ReferenceSource] = [:]
        for dependency in state.withLock({ $0.dependencies(node.dependencies) }) {
            sources[dependency.id] = try dependency.referenceSource()
        }
        let environment = settings.environment
        let line = try node.line.line.resolved(environment: environment) { sources[$0] }
        try line.completed(with: settings.headers, environment: environment).complete(
            &plan, baseURL: manager.baseURL, options: settings.transferOptions)
    }

    private static func play(_ script: [RequestLine.ScriptStep], on operation: RequestOperation) {
        for step in script {
            scripts.asyncAfter(deadline: .now() + step.at) { [weak operation] in
                switch step.action {
                case .pause: operation?.pause()
                case .resume: operation?.resume()
                case .cancel: operation?.cancel()
                }
            }
        }
    }

    private func finish(
        _ id: String, _ operation: HTTPRequestOperation, hasOutput: Bool, _ hidden: HiddenVariables?,
        _ onEnd: @Sendable (End) -> Void
    ) {
        let ending = RunnerEnding(operation, isReferenced: settings.referencedIDs?.contains(id) ?? true)
        let outcome = state.withLock { $0.finish(id, ending) }
        let bodyForm = hasOutput ? BodyForm.none : settings.bodyForm
        var result = ResultLine(id: id, outcome: outcome, operation: operation, bodyForm: bodyForm)
        hidden?.hide(in: &result)
        onEnd(End(result: result, referencedBody: outcome == .success ? ending.source?.body : nil))
        if outcome == .failure && settings.cancelsAtFirstFailure { cancel() }
        group.leave()
    }
}

extension ResultLine {
    /// The result of a finished operation.
    init(id: String, outcome: Outcome, operation: HTTPRequestOperation, bodyForm: RequestLineRunner.BodyForm) {
        self.init(id: id, outcome: outcome)
        let summary = operation.summary
        attempts = summary.attemptCount
        if !summary.retries.isEmpty { retries = summary.retries.map(Retry.init) }
        redirects = summary.redirectCount
        reused = summary.isReused
        error = operation.error.map { Failure($0, outcome: outcome) }
        if attempts > 0 { timing = Timing(summary.timings) }
        guard let head = operation.responseHead else { return }
        status = head.statusCode
        url = URLText.withoutUserInfo(head.url.absoluteString)
        headers = head.headers
        `protocol` = head.httpVersion == "2" ? "h2" : "http/\(head.httpVersion)"
        bytes = Int(operation.receivedByteCount)
        sha256 = operation.digest
        switch bodyForm {
        case .none: break
        case .text: body = operation.responseData.flatMap { String(validating: $0, as: UTF8.self) }
        case .base64: body = operation.responseData?.base64EncodedString()
        }
    }
}

extension ResultLine.Retry {
    fileprivate init(_ attempt: RetriedAttempt) {
        self.init(after: attempt.code, status: attempt.statusCode, waited: attempt.wait / .seconds(1))
    }
}

extension ResultLine.Failure {
    /// When a run is cancelled, it is chance whether a line that never ran hears first of the cancel or of the end of
    /// what it needed; the outcome has decided, and the code follows it.
    fileprivate init(_ error: NetworkingError, outcome: ResultLine.Outcome) {
        switch (outcome, error.code) {
        case (.skipped, .cancelled):
            self.init(code: .dependencyFailed, message: "not started: an operation that it needed did not succeed")
        case (.cancelled, .dependencyFailed):
            self.init(code: .cancelled, message: "the operation was cancelled before it started")
        default: self.init(error)
        }
    }
}

extension ResultLine.Timing {
    fileprivate init(_ timings: TransferTimings) {
        self.init()
        func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }
        let times = timings.nanoseconds
        queued = seconds(times.queued)
        dns = seconds(times.nameLookup)
        connect = seconds(times.connect)
        tls = seconds(times.tls)
        firstByte = seconds(times.firstByte)
        total = seconds(times.total)
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
            throw Self.unusable("\(RequestCheck.shown(text)) has no colon: write Name: value")
        }
        let name = String(text[..<colon])
        let value = Self.trimmed(text[text.index(after: colon)...])
        try RequestCheck.field(name: name, value: value)
        guard !RequestCheck.isFraming(name), name.lowercased() != "content-type" else {
            throw Self.unusable("the header \(name) depends on each request's body, and is not for every line")
        }
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
            throw unusable("the value of header \(name) cannot be used: \(error.message)")
        }
    }

    private static func trimmed(_ value: Substring) -> String {
        var value = value
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        return String(value)
    }

    private static func unusable(_ words: String) -> NetworkingError { NetworkingError(.invalidRequest, words) }
}
