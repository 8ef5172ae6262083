// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct LoadedIdentityTests {
    private func error(_ identity: ClientIdentity) -> NetworkingError? {
        do throws(NetworkingError) {
            _ = try LoadedIdentity(identity)
            return nil
        } catch {
            return error
        }
    }

    private func blockCount(_ identity: LoadedIdentity) -> Int {
        String(decoding: identity.certificates, as: UTF8.self).components(separatedBy: "-----BEGIN CERTIFICATE-----")
            .count - 1
    }

    @Test func identityLoadsFromManyForms() throws {
        let client = TestCertificate.client
        let (leaf, key) = (try client.leafPath, try client.keyPath)
        let both = try Data(contentsOf: URL(fileURLWithPath: leaf)) + Data(contentsOf: URL(fileURLWithPath: key))
        let bundle = try client.pkcs12Path(password: "s3cret")
        let forms: [ClientIdentity] = try [
            .files(certificate: leaf, key: key), .data(certificate: both),
            .data(certificate: client.der, key: client.keyDER),
            .files(certificate: leaf, key: client.encryptedKeyPath(password: "pass"), password: "pass"),
            .files(certificate: leaf, key: key, password: "of no use"),
            .pkcs12(file: bundle, password: "s3cret"),
            .pkcs12(data: Data(contentsOf: URL(fileURLWithPath: bundle)), password: "s3cret"),
        ]
        let digests = try forms.map { try LoadedIdentity($0).digest }
        #expect(Set(digests).count == 1)
        let other = TestCertificate.untrustedClient
        let loaded = try LoadedIdentity(.files(certificate: other.leafPath, key: other.keyPath))
        #expect(loaded.digest != digests[0])
    }

    @Test func chainIsLoadedWithTheCertificate() throws {
        let client = TestCertificate.chainedClient
        let parts = ClientIdentity.files(certificate: try client.certificatePath, key: try client.keyPath)
        let bundle = ClientIdentity.pkcs12(file: try client.pkcs12Path(password: ""), password: "")
        #expect(try blockCount(LoadedIdentity(parts)) == 2)
        #expect(try blockCount(LoadedIdentity(bundle)) == 2)
    }

    @Test func keyOfAnotherCertificateIsRefused() throws {
        let identity = ClientIdentity.files(
            certificate: try TestCertificate.client.leafPath, key: try TestCertificate.localhost.keyPath)
        let found = try #require(error(identity))
        #expect(found.code == .invalidSecurityPolicy)
        #expect(found.message.contains("does not belong"))
    }

    @Test func encryptedKeyNeedsItsPassword() throws {
        let client = TestCertificate.client
        let (leaf, key) = (try client.leafPath, try client.encryptedKeyPath(password: "right"))
        let without = try #require(error(.files(certificate: leaf, key: key)))
        #expect(without.message.contains("encrypted") && without.message.contains(key))
        #expect(without.message.contains("openssl pkey"))
        for password in ["wrong", ""] {
            let found = try #require(error(.files(certificate: leaf, key: key, password: password)))
            #expect(found.message.contains("password does not decrypt"))
            #expect(!found.message.contains("wrong"))
        }
    }

    @Test func bundleNeedsItsPassword() throws {
        let path = try TestCertificate.client.pkcs12Path(password: "right")
        let found = try #require(error(.pkcs12(file: path, password: "wrong")))
        #expect(found.code == .invalidSecurityPolicy)
        #expect(found.message.contains("password does not decrypt") && found.message.contains(path))
    }

    @Test func errorNamesABundleInPlaceOfACertificate() throws {
        let path = try TestCertificate.client.pkcs12Path(password: "right")
        let found = try #require(error(.files(certificate: path)))
        #expect(found.message.contains("it is PKCS#12") && found.message.contains(path), "\(found)")
    }

    @Test func invalidIdentitySourceIsRefused() throws {
        let client = TestCertificate.client
        let (leaf, key) = (try client.leafPath, try client.keyPath)
        #expect(error(.files(certificate: "/nowhere.pem", key: key))?.message.contains("/nowhere.pem") == true)
        #expect(error(.files(certificate: leaf, key: "/nowhere.key"))?.message.contains("/nowhere.key") == true)
        #expect(error(.files(certificate: key, key: key))?.message.contains("no client certificate") == true)
        #expect(error(.files(certificate: leaf))?.message.contains("no private key") == true)
        #expect(error(.data(certificate: Data(), key: Data()))?.message.contains("no client certificate") == true)
        let garbage = Data(repeating: 0x30, count: 100)
        #expect(error(.data(certificate: garbage, key: garbage))?.code == .invalidSecurityPolicy)
        #expect(error(.data(certificate: try client.der, key: garbage))?.message.contains("no private key") == true)
        #expect(error(.pkcs12(data: garbage, password: ""))?.message.contains("not PKCS#12") == true)
        #expect(error(.pkcs12(file: "/nowhere.p12", password: ""))?.message.contains("/nowhere.p12") == true)
    }

    @Test func keysAndPasswordsAreNotShown() throws {
        let key = try Data(contentsOf: URL(fileURLWithPath: TestCertificate.client.keyPath))
        var options = TransferOptions()
        options.tls.clientIdentity = .data(certificate: Data("certificate".utf8), key: key, password: "pa55word")
        var dumped = ""
        dump(options, to: &dumped)
        let identity = try #require(options.tls.clientIdentity)
        let texts = ["\(options)", "\(options.poolKey)", String(reflecting: identity), "\(identity)", dumped]
        for text in texts {
            #expect(!text.contains("pa55word"))
            #expect(!text.contains("BEGIN"))
            #expect(!text.contains("\(key.count) bytes"))
        }
    }
}
