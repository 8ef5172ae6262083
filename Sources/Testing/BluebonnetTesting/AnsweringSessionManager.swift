// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

extension SessionManager {
    /// Makes a session manager whose requests never leave the process: a block answers each of them, as with
    /// `RequestOperationManager.init(baseURL:configuration:clock:answering:)`. `operationManager.sentRequests`
    /// contains the requests.
    ///
    /// - Parameters:
    ///   - configuration: the configuration, which is copied. Default `SessionConfiguration.default`.
    ///   - clock: the clock of time limits, retries and delays. Default nil: the machine's clock.
    ///   - answer: called for each transfer when its request body is complete, off the network thread.
    public convenience init(
        configuration: SessionConfiguration = .default, clock: TestClock? = nil,
        answering answer: @escaping @Sendable (SentRequest) async throws -> TestAnswer
    ) {
        let manager = RequestOperationManager(
            baseURL: nil, configuration: configuration.ofManager, clock: clock, answering: answer)
        self.init(manager, configuration)
    }
}

extension HTTPSessionManager {
    /// Makes a manager of calls whose requests never leave the process: a block answers each of them.
    ///
    /// ```swift
    /// let manager = HTTPSessionManager { request in
    ///     request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - baseURL: the URL that relative URLs are resolved against. Default `https://server.test/`.
    ///   - configuration: the configuration, which is copied. Default `SessionConfiguration.default`.
    ///   - clock: the clock of time limits, retries and delays. Default nil: the machine's clock.
    ///   - answer: called for each transfer when its request body is complete, off the network thread.
    public convenience init(
        baseURL: URL? = URL(string: "https://server.test/"), configuration: SessionConfiguration = .default,
        clock: TestClock? = nil, answering answer: @escaping @Sendable (SentRequest) async throws -> TestAnswer
    ) {
        let manager = RequestOperationManager(
            baseURL: baseURL, configuration: configuration.ofManager, clock: clock, answering: answer)
        self.init(SessionManager(manager, configuration))
    }
}
