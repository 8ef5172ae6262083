// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// All suites that talk to a server. Their tests run one at a time, so that no test changes another test's
/// measurements. Two lanes are not possible: a transfer of one lane keeps the connection pool busy whose idle
/// connections a test of the other lane closes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct NetworkTests {}

extension URLRequest {
    /// Makes a request in one line.
    init(_ method: String, _ url: URL, headers: [String: String] = [:], body: String? = nil) {
        self.init(url: url)
        httpMethod = method
        for (name, value) in headers { setValue(value, forHTTPHeaderField: name) }
        httpBody = body.map { Data($0.utf8) }
    }
}

extension TransferOptions {
    /// The default options with some changes.
    init(_ change: (inout TransferOptions) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }

    /// Trusts the authority of the test certificates.
    static var trustingTestAuthority: TransferOptions {
        get throws {
            try TransferOptions {
                $0.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
            }
        }
    }
}

extension RequestOperation {
    /// Starts the operation and waits for its end.
    func run() async -> Self {
        start()
        await waitAsOwner()
        return self
    }

    /// The error's code.
    var code: NetworkingError.Code? { error?.code }
}

/// Runs a request to its end; any complete response is a success.
@discardableResult
func perform(_ request: URLRequest, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    await RequestOperation(request: request, options: options).run()
}

/// Runs a GET to its end.
@discardableResult
func get(_ url: URL, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    await perform(URLRequest(url: url), options)
}

extension TestServer {
    /// Starts a server that gives every request the same answer, passes the server to `body`, and always stops it.
    static func answering<Result>(
        _ reply: Reply, _ options: Options = Options(), _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let script: Script = { _ in reply }
        return try await serving(options, script: script, body)
    }
}

/// Waits until the network thread has run a submitted closure, which it cannot do while something blocks it.
func networkThreadAnswers(at location: SourceLocation = #_sourceLocation) async {
    let answers = Gate()
    NetworkThread.shared.submit { answers.open() }
    await answers.wait(at: location)
}

/// Closes all idle connections, and waits until the network thread has done so.
func closeIdleConnections() async {
    RequestOperationManager().closeIdleConnectionsOfProcess()
    await networkThreadAnswers()
}

extension Data {
    /// Noise-like bytes that differ by position. The sequence is always the same.
    static func patterned(byteCount: Int) -> Data {
        var state: UInt32 = 1
        return Data(
            (0..<byteCount).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            })
    }
}
