// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

/// A kind of TLS server, and how a request to it ends. The value itself starts no server.
struct ServerKind: Sendable, CustomTestStringConvertible {
    enum Peer: Sendable {
        /// A `TestServer`, with these options and the kind's certificate.
        case scripted(TestServer.Options = TestServer.Options())
        /// A `TestServer` that sends only these bytes.
        case saying(@Sendable () throws -> Data)
        /// A `TestServer` without TLS.
        case plain
        /// `openssl s_server` with these arguments.
        case openssl(@Sendable () throws -> [String])
    }

    /// The X509_V_ERR_… codes of X509_STORE_CTX_get_error(3), with their numbers in `openssl/x509_vfy.h`.
    enum Failure: Int, Sendable {
        case signatureFailure = 7
        case notYetValid = 9
        case expired = 10
        case selfSigned = 18
        case selfSignedInChain = 19
        case noIssuer = 20
        case pathLengthExceeded = 25
        case invalidPurpose = 26
        case unhandledCriticalExtension = 34
        case permittedViolation = 47
        case excludedViolation = 48
        case leafKeyTooSmall = 66
        case authorityKeyTooSmall = 67
        case digestTooWeak = 68
        case noAuthority = 79
    }

    enum End: Sendable {
        case accepted
        /// `serverNotTrusted`: no chain was verified.
        case chainRefused(Failure)
        /// Any other error, and words of its message.
        case refused(NetworkingError.Code, String)
    }

    let name: String
    let end: End
    var certificate = TestCertificate.localhost
    var peer = Peer.scripted()
    var host = "127.0.0.1"
    /// The certificate whose root is trusted.
    var trusted = TestCertificate.localhost
    var change: @Sendable (inout TransferOptions) throws -> Void = { _ in }

    var testDescription: String { name }

    init(_ name: String, _ end: End, _ change: (inout ServerKind) throws -> Void) rethrows {
        self.name = name
        self.end = end
        try change(&self)
    }

    init(_ name: String, _ certificate: TestCertificate, _ end: End = .accepted) {
        self.init(name, end) { $0.certificate = certificate }
    }

    init(_ name: String, openssl arguments: [String], _ certificate: TestCertificate, _ end: End = .accepted) {
        self.init(name, end) { ($0.certificate, $0.peer) = (certificate, .openssl { arguments }) }
    }

    /// The options of a request to this kind of server.
    var options: TransferOptions {
        get throws {
            try TransferOptions {
                $0.securityPolicy = try SecurityPolicy(authorities: .file(trusted.caPath))
                if host != "127.0.0.1" { $0.addressOverrides = [host: "127.0.0.1"] }
                try change(&$0)
            }
        }
    }

    /// Checks that an operation ended as it should.
    func check(_ operation: RequestOperation) {
        let message = Comment(rawValue: operation.error?.message ?? "no error")
        switch end {
        case .accepted:
            #expect(operation.error == nil, message)
            #expect(operation.statusCode == 200, message)
        case .chainRefused(let failure):
            #expect(operation.code == .serverNotTrusted, message)
            let cause = operation.error?.underlying as? LibraryError
            #expect(cause?.library == "OpenSSL" && cause?.code == failure.rawValue, message)
        case .refused(let code, let words):
            #expect(operation.code == code, message)
            let texts = words.split(separator: "|")
            #expect(texts.contains { operation.error?.message.contains($0) == true }, message)
        }
    }
}

// MARK: - Sending a request

extension ServerKind {
    /// Sends a request to a server of this kind. Checks that it ends as expected and that a refused server gets no
    /// request.
    func connect() async throws {
        switch peer {
        case .scripted(var options):
            options.certificate = certificate
            try await request(from: options)
        case .plain:
            try await request(from: TestServer.Options())
        case .saying(let bytes):
            var options = TestServer.Options()
            options.greeting = Reply([.bytes(try bytes()), .stall])
            try await TestServer.answering(.response(), options) { server in
                let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
                check(await get(url, try self.options))
            }
        case .openssl(let arguments):
            try await OpenSSLServer.serving(certificate, try arguments()) { server in
                check(await get(server.url(), try options))
            }
        }
    }

    private func request(from options: TestServer.Options) async throws {
        try await TestServer.answering(.response(body: "secret"), options) { server in
            let operation = await get(server.url(host: host), try self.options)
            check(operation)
            #expect(server.requests.count == (operation.error == nil ? 1 : 0))
        }
    }
}
