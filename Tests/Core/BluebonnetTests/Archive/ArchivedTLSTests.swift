// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite struct ArchivedTLSTests {
    private func sent(_ options: TLSOptions) throws -> TLSOptions {
        let data = try JSONEncoder().encode(ArchivedTLS(options))
        return try JSONDecoder().decode(ArchivedTLS.self, from: data).options()
    }

    @Test func nonSecretOptionsAreArchived() throws {
        var options = try TLSOptions(
            minimumVersion: .v12, maximumVersion: .v13, ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256"],
            cipherSuites: ["TLS_AES_128_GCM_SHA256"])
        options.requiresStapledStatus = true
        options.clientIdentity = .files(certificate: "/c.pem", key: "/k.pem")
        #expect(try sent(options) == options)
        options.clientIdentity = .files(certificate: "/both.pem")
        #expect(try sent(options) == options)
    }

    @Test func keyLogIsNotArchived() throws {
        var options = TLSOptions()
        options.keyLogFile = "/keys"
        #expect(try sent(options).keyLogFile == nil)
    }

    @Test(
        arguments: [
            ClientIdentity.files(certificate: "/c.pem", key: "/k.pem", password: "pa55"),
            .data(certificate: Data([1]), key: Data([2])), .pkcs12(file: "/c.p12", password: "pa55"),
            .pkcs12(data: Data([1]), password: "pa55"),
        ])
    func secretHasNoArchive(identity: ClientIdentity) throws {
        var options = TLSOptions()
        options.clientIdentity = identity
        let error = try #require(throws: NetworkingError.self) { try ArchivedTLS(options) }
        #expect(error.code == .invalidRequest)
        #expect(!error.message.contains("pa55"))
    }

    @Test func contradictoryArchiveIsRefused() throws {
        let options = try TLSOptions(minimumVersion: .v12, maximumVersion: .v13)
        let text = String(decoding: try JSONEncoder().encode(ArchivedTLS(options)), as: UTF8.self)
        let (v12, v13) = (String(TLSProtocolVersion.v12.rawValue), String(TLSProtocolVersion.v13.rawValue))
        let swapped = text.replacingOccurrences(of: v12, with: "#").replacingOccurrences(of: v13, with: v12)
            .replacingOccurrences(of: "#", with: v13)
        #expect(swapped != text)
        let archived = try JSONDecoder().decode(ArchivedTLS.self, from: Data(swapped.utf8))
        #expect(throws: NetworkingError.self) { try archived.options() }
    }
}
