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
    /// Everything above the connection is the library's own code: queues, limits of transfers, dependencies, batches,
    /// serializers, validation, redirects, retries, authenticators, the governor, pauses, ranges, files, progress and
    /// time limits. TLS with pins and certificates, proxies, HTTP/2, cookies and limits in bytes per second are not
    /// simulated; `waitsForConnectivity` uses the machine's real connectivity.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that relative URLs are resolved against. Default `https://server.test/`.
    ///   - configuration: limits and options.
    ///   - clock: the clock of time limits, retries and delays. Default nil: the machine's clock.
    ///   - answer: called for each transfer when its request body is complete, off the network thread, possibly for
    ///     several transfers at the same time. Its task is cancelled when the operation is cancelled, pauses, or
    ///     reaches a time limit. A `NetworkingError` that it throws is treated like `TestAnswer.failure(_:)`; any
    ///     other error becomes `badServerResponse`.
    public convenience init(
        baseURL: URL? = URL(string: "https://server.test/"), configuration: Configuration = Configuration(),
        clock: TestClock? = nil, answering answer: @escaping @Sendable (SentRequest) async throws -> TestAnswer
    ) {
        let log = SentRequestLog()
        let network = SimulatedNetwork(time: clock?.time) { request in
            let request = SentRequest(
                request.method, request.url, headers: request.headers, body: request.body, trailers: request.trailers)
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

    /// The requests of a manager with an answering block, in the order in which they were answered. Redirects, retries
    /// and continuations are separate requests. Empty for any other manager.
    public var sentRequests: [SentRequest] { log?.requests ?? [] }

    /// Returns the requests once there are at least `count`, or the task is cancelled. Use this to pause or cancel an
    /// operation whose request is running. Traps for a manager without an answering block.
    public func sentRequests(atLeast count: Int) async -> [SentRequest] {
        guard let log else { preconditionFailure("the manager was not made with a block that answers") }
        await log.wait(for: count)
        return log.requests
    }

    /// Compares the requests that were sent with the expected ones.
    ///
    /// ```swift
    /// try manager.expectSent(.get("/users/1"), .post("/orders", body: .json(["article": 7])))
    /// ```
    ///
    /// - Throws: `SentRequestsDifference`, whose description shows the missing requests, the unexpected ones, and the
    ///   differences.
    public func expectSent(
        _ expected: ExpectedRequest..., fileID: StaticString = #fileID, line: UInt = #line
    ) throws(SentRequestsDifference) {
        try expectSent(expected, fileID: fileID, line: line)
    }

    /// Compares the requests that were sent with the expected ones.
    ///
    /// - Parameters:
    ///   - expected: all requests, in order.
    ///   - inAnyOrder: whether the order is ignored, as for concurrent operations. Default false.
    ///   - fileID: the file that the error names.
    ///   - line: the line that the error names. Default: the line of the call.
    /// - Throws: `SentRequestsDifference`, whose description shows the missing requests, the unexpected ones, and the
    ///   differences.
    public func expectSent(
        _ expected: [ExpectedRequest], inAnyOrder: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(SentRequestsDifference) {
        let comparison = RequestComparison(expected, sentRequests)
        let lines = inAnyOrder ? comparison.unordered : comparison.ordered
        if let difference = SentRequestsDifference(lines, at: "\(fileID):\(line)") { throw difference }
    }
}
