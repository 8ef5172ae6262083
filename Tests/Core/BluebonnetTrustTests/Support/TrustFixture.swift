// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// Certificates and cookies against rules that others wrote: one test at a time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CertificateTests {}

extension TransferOptions {
    /// The defaults with some changes.
    init(_ change: (inout TransferOptions) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }

    /// The defaults with a policy.
    init(policy: SecurityPolicy) {
        self.init()
        securityPolicy = policy
    }

    /// Trusts the authority of the test certificates.
    static var trustingTestAuthority: TransferOptions {
        get throws { TransferOptions(policy: try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))) }
    }
}

extension RequestOperation {
    /// What a test mostly wants to know.
    var code: NetworkingError.Code? { error?.code }
}

/// Runs a GET to its end; any complete response is a success.
@discardableResult
func get(_ url: URL, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    let operation = RequestOperation(request: URLRequest(url: url), options: options)
    operation.start()
    await operation.waitAsOwner()
    return operation
}

extension TestServer {
    /// Starts a server with the same answer for every request, hands it to `body`, and stops it however that ends.
    static func answering<Result>(
        _ reply: Reply, _ options: Options = Options(), _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await serving(options, script: { _ in reply }, body)
    }
}

/// A page of the documentation.
func page(_ name: String) throws -> String {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
        folder.deleteLastPathComponent()
    }
    return try String(
        contentsOf: folder.appendingPathComponent("Sources/Core/Bluebonnet/Bluebonnet.docc/\(name).md"), encoding: .utf8)
}

/// Where a file of these tests is that is no Swift.
func pythonFile(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Python/\(name)").path
}

/// Why a test cannot be made.
struct FixtureError: Error, CustomStringConvertible {
    let description: String
}
