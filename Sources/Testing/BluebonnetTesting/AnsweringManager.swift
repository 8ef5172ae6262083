// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

extension RequestOperationManager {
    /// Makes a manager whose requests never leave the process: a block answers each of them.
    ///
    /// ```swift
    /// let manager = RequestOperationManager { request in
    ///     request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
    /// }
    /// ```
    ///
    /// Everything above the connection is the library's own: queues, limits of transfers, dependencies, batches,
    /// serializers, validation, redirects, retries, authenticators, the governor, pauses, ranges, files, progress and
    /// time limits. Not simulated are TLS with pins and certificates, proxies, HTTP/2, cookies and limits of bytes a
    /// second; `waitsForConnectivity` asks the machine.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that relative URLs are resolved against. Default `https://server.test/`.
    ///   - configuration: limits and options.
    ///   - clock: the clock that time limits, retries and delays follow. Default nil: the machine's.
    ///   - answer: called for each transfer once its body is complete, off the network thread, for several at the same
    ///     time. Its task is cancelled when the operation is, pauses, or ends by a time limit. A `NetworkingError` that
    ///     it throws is `TestAnswer.failure(_:)`; any other error becomes `badServerResponse`.
    public convenience init(
        baseURL: URL? = URL(string: "https://server.test/"), configuration: Configuration = Configuration(),
        clock: TestClock? = nil, answering answer: @escaping @Sendable (SentRequest) async throws -> TestAnswer
    ) {
        let log = SentRequestLog()
        let network = SimulatedNetwork(time: clock?.time) { request in
            let request = SentRequest(request.method, request.url, headers: request.headers, body: request.body)
            log.add(request)
            do {
                return AnswerSteps(try await answer(request), to: request).steps
            } catch {
                return AnswerSteps(error, for: request).steps
            }
        }
        let simulation = Simulation(
            SimulatedTransport(network), retryWaits: clock?.time.retries, record: log)
        self.init(optional: baseURL, configuration, simulation: simulation)
    }

    private var log: SentRequestLog? { simulation?.record as? SentRequestLog }

    /// The requests of a manager that was made with a block that answers, in the order in which they were answered;
    /// those of redirects, retries and continuations are requests of their own. Empty for any other manager.
    public var sentRequests: [SentRequest] { log?.requests ?? [] }

    /// Returns the requests when there are so many, or when the task is cancelled: for a test that pauses or cancels an
    /// operation whose request is under way. A manager that was not made with a block that answers traps.
    public func sentRequests(atLeast count: Int) async -> [SentRequest] {
        guard let log else { preconditionFailure("the manager was not made with a block that answers") }
        await log.wait(for: count)
        return log.requests
    }

    /// Compares the requests that were sent with those expected.
    ///
    /// ```swift
    /// try manager.expectSent(.get("/users/1"), .post("/orders", body: .json(["article": 7])))
    /// ```
    ///
    /// - Throws: `SentRequestsDifference`, whose description shows which requests are missing, which are too many, and
    ///   what differs.
    public func expectSent(
        _ expected: ExpectedRequest..., fileID: StaticString = #fileID, line: UInt = #line
    ) throws(SentRequestsDifference) {
        try expectSent(expected, fileID: fileID, line: line)
    }

    /// Compares the requests that were sent with those expected.
    ///
    /// - Parameters:
    ///   - expected: every request, in order.
    ///   - inAnyOrder: whether the order does not count, as with operations that run at the same time.
    ///   - fileID: the file that the error names.
    ///   - line: the line that the error names: the line of the call.
    /// - Throws: `SentRequestsDifference`, whose description shows which requests are missing, which are too many, and
    ///   what differs.
    public func expectSent(
        _ expected: [ExpectedRequest], inAnyOrder: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(SentRequestsDifference) {
        let comparison = RequestComparison(expected, sentRequests)
        let lines = inAnyOrder ? comparison.unordered : comparison.ordered
        if let difference = SentRequestsDifference(lines, at: "\(fileID):\(line)") { throw difference }
    }
}
