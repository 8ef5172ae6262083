// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// Certificates and cookies, checked against external rules. The tests run one at a time.
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
    var code: NetworkingError.Code? { error?.code }
}

/// Runs a GET to its end. Any complete response counts as success.
@discardableResult
func get(_ url: URL, _ options: TransferOptions = TransferOptions()) async -> RequestOperation {
    let operation = RequestOperation(request: URLRequest(url: url), options: options)
    operation.start()
    await operation.waitAsOwner()
    return operation
}

extension TestServer {
    /// Starts a server that gives every request the same answer, calls `body`, and always stops the server
    /// afterwards.
    static func answering<Result>(
        _ reply: Reply, _ options: Options = Options(), _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await serving(options, script: { _ in reply }, body)
    }
}

/// The text of a documentation page.
func page(_ name: String) throws -> String {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
        folder.deleteLastPathComponent()
    }
    return try String(
        contentsOf: folder.appendingPathComponent("Sources/Core/Bluebonnet/Bluebonnet.docc/\(name).md"), encoding: .utf8
    )
}

/// The path of a Python file of these tests.
func pythonFile(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Python/\(name)").path
}

/// Why a fixture cannot be made.
struct FixtureError: Error, CustomStringConvertible {
    let description: String
}
