// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

/// What clients must do, against servers that put it to the test: one case at a time, so that none changes what
/// another one sees.
///
/// The tests of other modules run at the same time. They may close the process's idle connections at any moment, so no
/// case here relies on a connection that is kept, and none closes idle connections itself.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RulesTests {}

extension URLRequest {
    /// A request in one line.
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

    /// Leads hosts of made-up names to the test servers.
    static func to(_ hosts: String...) -> TransferOptions {
        TransferOptions { options in
            for host in hosts { options.addressOverrides[host] = "127.0.0.1" }
        }
    }
}

/// Runs a request to its end; any complete response is a success.
@discardableResult
func perform(_ request: URLRequest, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    // Pools of their own: this suite's many connections push no connection of another suite's out of libcurl's cache.
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
    /// What a test mostly wants to know: the code of the error, or the body.
    var end: String { error.map { $0.code.rawValue } ?? responseString ?? "" }
}

extension TestServer {
    /// Starts a server with the same answer for every request, hands it to `body`, and stops it however that ends.
    static func answering<Result>(
        _ reply: Reply, tls certificate: TestCertificate? = nil, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await scripted(tls: certificate, { _ in reply }, body)
    }

    /// Does so with a script.
    static func scripted<Result>(
        tls certificate: TestCertificate? = nil, _ script: @escaping Script,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        var options = Options()
        options.certificate = certificate
        return try await serving(options, script: script, body)
    }

    /// Every value of a field in all requests, in order.
    func sent(_ name: String) -> [String] { requests.flatMap { $0.headers.values(named: name) } }
}

/// A script as a value, for calls that have another closure too.
func answering(_ script: @escaping TestServer.Script) -> TestServer.Script { script }
