// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetPipelines
package import Dispatch
internal import Foundation

/// Makes the operations of request lines, and the results of ended operations. It retains neither.
package final class LineExecutor: Sendable {
    package let manager: RequestOperationManager
    /// The queue of the operations' handlers, which run one at a time.
    package let queue = DispatchQueue(label: "org.bluebonnet.request-lines")
    private let settings: RequestLineRunner.Settings
    /// The queue of script steps, which runs no user code.
    private static let scripts = DispatchQueue(label: "org.bluebonnet.request-line-scripts")

    package init(settings: RequestLineRunner.Settings) {
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
    }

    /// Returns what `Settings.onLineStart` receives of a line.
    ///
    /// - Parameter name: the name of the operation.
    package func started(_ line: RequestLine, name: String, dependencies: [String]) -> StartedLine {
        guard settings.onLineStart != nil else { return StartedLine(name: name, dependencies: [], hidden: nil) }
        let hidden = HiddenVariables(ofWhole: line, and: settings.headers, settings.environment)
        return StartedLine(name: name, dependencies: dependencies, hidden: hidden)
    }

    /// Makes the operation of a line. `start(_:)` starts it.
    ///
    /// - Parameters:
    ///   - instance: the operation of the line.
    ///   - findings: receives what the line's pipeline finds in the response.
    ///   - started: the name of the operation, and what is reported of the line now.
    ///   - mayWait: whether `sources` may take long: references are looked up in bodies of any size.
    ///   - sources: returns the responses that the line refers to, by id. Called just before the operation starts.
    package func operation(
        for instance: LineInstance, findings: LineFindings?, _ started: StartedLine, mayWait: Bool,
        sources: @escaping @Sendable () throws -> [ByteString: ReferenceSource]
    ) -> HTTPRequestOperation {
        let line = instance.line
        // Reading files may block, if the file system does not respond.
        let recipe = RequestPlan.Recipe(isQuick: !mayWait && !line.readsFiles) {
            [settings, baseURL = manager.baseURL] plan in
            let (sources, environment) = (try sources(), settings.environment)
            var resolved = try line.resolved(environment: environment, variables: instance.variables) {
                sources[ByteString($0)]
            }.completed(with: settings.headers, environment: environment)
            if let change = instance.change { resolved = resolved.changed(by: change) }
            findings?.record(pipeline: resolved.pipeline)
            try resolved.complete(
                &plan, baseURL: baseURL, options: settings.transferOptions, check: findings?.check(resolved.pipeline))
            findings?.record(requestURL: plan.request?.url)
        }
        let operation = manager.operation(recipe: recipe, wantsDigest: true)
        operation.name = started.name
        operation.queuePriority = line.priority.queuePriority
        settings.onLineStart?(started)
        let script = line.script
        if !script.isEmpty || findings != nil {
            operation.setStartHandler { operation in
                findings?.begin()
                Self.play(script, on: operation)
            }
        }
        return operation
    }

    /// Starts an operation when a slot is free.
    package func start(_ operation: HTTPRequestOperation) { manager.operationQueue.addOperation(operation) }

    /// Returns the environment variables whose values must not appear in results of the line; nil if there are none.
    package func hiddenVariables(of line: RequestLine) -> HiddenVariables? {
        HiddenVariables(of: line, settings.environment)
    }

    /// Returns the result of an ended operation.
    ///
    /// - Parameter hidden: the environment variables of the line whose values must not appear in the result.
    package func result(
        _ id: String, _ outcome: ResultLine.Outcome, _ operation: HTTPRequestOperation, hasOutput: Bool,
        _ hidden: HiddenVariables?, _ findings: LineFindings.Facts?
    ) -> ResultLine {
        var result = ResultLine(
            id: id, outcome: outcome, operation: operation, bodyForm: hasOutput ? .none : settings.bodyForm)
        result.values = findings?.values
        result.items = findings?.page?.itemCount
        hidden?.hide(in: &result)
        return result
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
}

extension ResultLine {
    /// Makes the result of an ended operation.
    init(id: String, outcome: Outcome, operation: HTTPRequestOperation, bodyForm: RequestLineRunner.BodyForm) {
        self.init(id: id, outcome: outcome)
        let summary = operation.summary
        attempts = summary.transferCount
        if !summary.retries.isEmpty { retries = summary.retries.map(Retry.init) }
        redirects = summary.redirectCount
        reused = summary.isReused
        cache = summary.cacheAnswer
        error = operation.error.map { Failure($0, outcome: outcome) }
        if attempts > 0 { timing = Timing(summary.timings) }
        guard let head = operation.responseHead else { return }
        status = head.statusCode
        url = URLText.withoutUserInfo(head.url.absoluteString)
        headers = head.headers
        `protocol` = head.httpVersion == "2" ? "h2" : "http/\(head.httpVersion)"
        bytes = Int(operation.receivedByteCount)
        sha256 = operation.digest
        body = operation.responseData.flatMap { bodyForm.text(of: $0) }
    }
}

extension RequestLineRunner.BodyForm {
    /// Returns a body as a result line has it; nil if the line does not have it.
    func text(of body: Data) -> String? {
        switch self {
        case .none: nil
        case .text: String(validating: body, as: UTF8.self)
        case .base64: body.base64EncodedString()
        }
    }
}

extension ResultLine.Retry {
    fileprivate init(_ attempt: RetriedAttempt) {
        self.init(after: attempt.code, status: attempt.statusCode, waited: attempt.wait / .seconds(1))
    }
}

extension ResultLine.Failure {
    /// Makes the code match the outcome. When a run is cancelled, a line that never ran may see the cancellation
    /// before or after the end of its dependencies, so the error's code depends on timing. The outcome is
    /// authoritative.
    fileprivate init(_ error: NetworkingError, outcome: ResultLine.Outcome) {
        switch (outcome, error.code) {
        case (.skipped, .cancelled):
            self.init(code: .dependencyFailed, message: SkipReason.message(nil))
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
