// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

/// Requirements on clients, tested against servers that violate or probe them. The cases run one at a time, so none
/// affects another.
///
/// The tests of other modules run at the same time and may close the process's idle connections at any moment. No
/// case here relies on a kept connection, and no case closes idle connections.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RulesTests {}

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
    /// The defaults with some changes.
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

    /// Resolves the made-up hosts to the test servers.
    static func to(_ hosts: String...) -> TransferOptions {
        TransferOptions { options in
            for host in hosts { options.addressOverrides[host] = "127.0.0.1" }
        }
    }
}

/// Runs a request to its end. Any complete response counts as success.
@discardableResult
func perform(_ request: URLRequest, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    // The override gives this suite its own connection pools. Its many connections then do not evict connections of
    // other suites from libcurl's cache.
    var options = options
    options.addressOverrides["rules.test"] = "127.0.0.1"
    let operation = RequestOperation(request: request, options: options)
    operation.start()
    try? await operation.waitUntilEnded()
    return operation
}

/// Runs a GET to its end.
@discardableResult
func get(_ url: URL, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    await perform(URLRequest(url: url), options)
}

extension RequestOperation {
    /// The code of the error, or the body if the operation succeeded.
    var end: String { error.map { $0.code.rawValue } ?? responseString ?? "" }
}

extension TestServer {
    /// Starts a server that gives every request the same answer, calls `body`, and always stops the server
    /// afterwards.
    static func answering<Result>(
        _ reply: Reply, tls certificate: TestCertificate? = nil, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await scripted(tls: certificate, { _ in reply }, body)
    }

    /// Starts a server with a script, calls `body`, and always stops the server afterwards.
    static func scripted<Result>(
        tls certificate: TestCertificate? = nil, _ script: @escaping Script,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        var options = Options()
        options.certificate = certificate
        return try await serving(options, script: script, body)
    }

    /// Every value of a field in all requests, in order of arrival.
    func sent(_ name: String) -> [String] { requests.flatMap { $0.headers.values(named: name) } }
}

/// Gives a script closure its type, for calls that take a second closure.
func answering(_ script: @escaping TestServer.Script) -> TestServer.Script { script }
