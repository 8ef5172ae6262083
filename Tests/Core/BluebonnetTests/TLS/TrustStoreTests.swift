// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TrustStoreTests {
    private let folder: TemporaryFolder
    private let good: String

    init() throws {
        folder = try TemporaryFolder()
        good = try String(contentsOfFile: TestCertificate.localhost.caPath, encoding: .utf8)
    }

    private func error(_ authorities: TrustedAuthorities) -> NetworkingError? {
        do throws(NetworkingError) {
            _ = try TrustStore(authorities)
            return nil
        } catch {
            return error
        }
    }

    @Test func certificatesLoadFromPEMAndDER() throws {
        defer { folder.remove() }
        let der = try TestCertificate.Authority.root.certificate.der
        #expect(error(.data(Data(good.utf8))) == nil)
        #expect(error(.data(Data(("# a comment\n" + good + good).utf8))) == nil)
        #expect(error(.data(der)) == nil)
        #expect(error(.file(try folder.write("root.der", der))) == nil)
    }

    @Test func otherContentsOfAFileAreIgnored() throws {
        defer { folder.remove() }
        let key = try String(contentsOfFile: TestCertificate.localhost.keyPath, encoding: .utf8)
        let parameters = try String(contentsOfFile: DiffieHellmanGroup.of1024Bits.path, encoding: .utf8)
        let lines = (key + "words\n" + good + parameters).replacingOccurrences(of: "\n", with: " \r\n")
        #expect(error(.data(Data(lines.utf8))) == nil)
        #expect(error(.data(Data((key + parameters).utf8)))?.message.contains("no certificate") == true)
    }

    @Test func opensslTrustedCertificateIsAccepted() throws {
        defer { folder.remove() }
        let text = try String(contentsOfFile: TestCertificate.Authority.root.certificate.trustedPath, encoding: .utf8)
        #expect(text.contains("BEGIN TRUSTED CERTIFICATE"))
        #expect(error(.data(Data(text.utf8))) == nil)
    }

    @Test func storesDifferByTheirContents() throws {
        defer { folder.remove() }
        let one = try TrustStore(.data(Data(good.utf8)))
        let same = try TrustStore(.file(folder.write("copy.pem", good)))
        let other = try TrustStore(.data(Data((good + good).utf8)))
        #expect(one.digest == same.digest)
        #expect(one.digest != other.digest)
    }

    @Test(arguments: ["", "no certificate\n", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func fileWithoutACertificateIsRefused(contents: String) throws {
        defer { folder.remove() }
        let path = try folder.write("authority.pem", contents)
        let found = try #require(error(.file(path)))
        #expect(found.code == .invalidSecurityPolicy)
        #expect(found.message.contains(path) && found.message.contains("no certificate"))
    }

    @Test func brokenCertificateAmongGoodOnesIsRefused() throws {
        defer { folder.remove() }
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let cut = String(good.dropLast(40))
        for text in [good + broken, broken + good, good + cut] {
            let found = try #require(error(.data(Data(text.utf8))))
            #expect(found.message.contains("malformed certificate"))
        }
        let der = try TestCertificate.Authority.root.certificate.der
        #expect(error(.data(der.dropLast(10)))?.message.contains("malformed certificate") == true)
    }

    @Test func errorNamesAMissingFile() {
        defer { folder.remove() }
        #expect(error(.file("/nowhere/authority.pem"))?.message.contains("/nowhere/authority.pem") == true)
    }

    @Test func directoryContributesOnlyItsCertificates() throws {
        defer { folder.remove() }
        try folder.write("README", "not a certificate")
        try folder.write("key.pem", String(contentsOfFile: TestCertificate.localhost.keyPath, encoding: .utf8))
        let path = folder.url.path
        #expect(error(.directory(path))?.message.contains("no certificate") == true)
        try folder.write("root.crt", good)
        #expect(error(.directory(path)) == nil)
        try folder.write("other.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        #expect(error(.directory(path))?.message.contains("other.crt") == true)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: TrustedAuthorities.systemFiles[0])))
    func systemStoreCanBeRead() {
        defer { folder.remove() }
        #expect(error(.system) == nil)
    }
}
