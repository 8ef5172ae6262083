// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
package import BluebonnetPipelines
internal import Foundation

/// One operation of a line: its own request, one of its pages, or the request for one of its elements.
package struct LineInstance: Sendable {
    /// The id of the operation: the line's, for a page or an element with a slash and its number or key.
    package var id: String
    package private(set) var node: RequestLineGraph.Node
    /// The element of the operation.
    package var variables = LineVariables()
    /// The change that the page makes in the request.
    package var change: PageChange?

    package init(_ node: RequestLineGraph.Node) { (id, self.node) = (node.line.id, node) }

    /// Makes an instance of a line that is one request.
    package init(_ line: NumberedLine) { self.init(RequestLineGraph.Node(line: line, dependencies: [])) }

    var line: RequestLine {
        _read { yield node.line.line }
    }

    /// Returns the instance with another idempotency key.
    package func with(idempotencyKey: RequestLine.Key) -> LineInstance {
        var keyed = self
        keyed.node = node.with(idempotencyKey: idempotencyKey)
        return keyed
    }

    /// The instance for a part of the line.
    func part(_ name: String) -> LineInstance {
        var part = self
        part.id = "\(id)/\(name)"
        return part
    }
}

/// Values that a pipeline finds in the response of one operation. Any thread.
package final class LineFindings: Sendable {
    package struct Facts: Sendable {
        /// When the operation got its slot, by the monotonic clock.
        var start = ContinuousClock.now
        var requestURL: URL?
        var values: JSONValue?
        package var page: PageCandidate?
        /// Why the condition of a polling line is not met; nil if it is.
        package var unmetCondition: String?
        /// The pipeline with its references replaced; nil before the operation is made.
        var pipeline: RequestLine.Pipeline?
        /// The values for the state file.
        var memories: [String: [JSONValue]] = [:]
    }

    private let state = Mutex(Facts())

    /// Nil for a line in whose responses nothing is searched.
    package init?(of node: RequestLineGraph.Node) {
        guard node.line.line.boxedPipeline?.value.readsResponse == true else { return nil }
    }

    package var facts: Facts { state.withLock { $0 } }

    /// Records that the operation begins.
    func begin() { state.withLock { $0.start = .now } }

    /// Records the pipeline with its references replaced.
    func record(pipeline: RequestLine.Pipeline?) { state.withLock { $0.pipeline = pipeline } }

    /// Records the URL of the request.
    func record(requestURL: URL?) { state.withLock { $0.requestURL = requestURL } }

    /// Reads a response, step by step.
    ///
    /// - Parameter pipeline: the pipeline with its references replaced.
    /// - Throws: `assertionFailed`, or `cannotParseResponse` if the body cannot be used.
    func read(_ response: ResponseFacts, _ pipeline: RequestLine.Pipeline) throws(NetworkingError) {
        if let until = pipeline.until, let reason = until.assertions.firstViolation(by: response) {
            return state.withLock { $0.unmetCondition = reason }
        }
        if let violation = pipeline.assertions.firstViolation(by: response) {
            throw NetworkingError(.assertionFailed, violation)
        }
        let values = try pipeline.values(in: response)
        let page = try pipeline.paginate.map { rule throws(NetworkingError) in try rule.candidate(in: response) }
        let memories = try pipeline.memories(in: response)
        state.withLock { facts in
            (facts.values, facts.page, facts.memories, facts.unmetCondition) = (values, page, memories, nil)
            facts.page?.requestURL = facts.requestURL
        }
    }

    /// Returns the check of the response, which reads it.
    ///
    /// - Parameter pipeline: the pipeline with its references replaced.
    func check(_ pipeline: RequestLine.Pipeline?) -> ResponseCheck? {
        guard let pipeline, pipeline.stream == nil else { return nil }
        return { [self] (head, body, byteCount) throws(NetworkingError) in
            let duration = secondsSinceStart()
            try read(ResponseFacts(head, body: body, byteCount: Int(byteCount), duration: duration), pipeline)
        }
    }

    /// Reads an item of a stream.
    ///
    /// - Returns: the extracted values; nil if the line extracts nothing.
    /// - Throws: `assertionFailed`, or `cannotParseResponse` if the item cannot be used.
    func read(item: Data, of head: ResponseHead) throws(NetworkingError) -> JSONValue? {
        guard let pipeline = facts.pipeline else { return nil }
        let response = ResponseFacts(
            head, body: item, byteCount: item.count, duration: secondsSinceStart())
        if let violation = pipeline.assertions.firstViolation(by: response) {
            throw NetworkingError(.assertionFailed, violation)
        }
        return try pipeline.values(in: response)
    }

    private func secondsSinceStart() -> Double { state.withLock { (.now - $0.start) / .seconds(1) } }
}

extension [RequestLine.Assertion] {
    /// The reason of the first assertion that does not hold; nil if all do.
    fileprivate func firstViolation(by response: ResponseFacts) -> String? {
        for assertion in self { if let violation = assertion.violation(by: response) { return violation } }
        return nil
    }
}

extension RequestLine.Pipeline {
    /// The values that may set members of the state file, by the name of the member.
    fileprivate func memories(in response: ResponseFacts) throws(NetworkingError) -> [String: [JSONValue]] {
        var memories: [String: [JSONValue]] = [:]
        do throws(ResponseFacts.Unreadable) {
            for (name, memory) in remember { memories[name] = try response.values(at: memory.path) }
            return memories
        } catch {
            throw NetworkingError(.cannotParseResponse, "nothing can be remembered: \(error.reason)")
        }
    }
}
