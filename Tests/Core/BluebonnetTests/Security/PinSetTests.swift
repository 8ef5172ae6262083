// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// A set of pins is created whole or not at all.
@Suite(.timeLimit(.minutes(1))) struct PinSetTests {
    private let leaf: TestCertificate = .localhost
    private let other: TestCertificate = .otherKey

    private func text(_ certificate: TestCertificate) throws -> String {
        try String(contentsOfFile: certificate.leafPath, encoding: .utf8)
    }

    private func refuses(_ make: () throws -> PinSet, naming word: String = "") {
        let error = #expect(throws: NetworkingError.self) { _ = try make() }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(error.map { word.isEmpty || $0.message.contains(word) } == true, "\(error?.message ?? "")")
    }

    @Test func derAndPEMAreTheSamePin() throws {
        let fromDER = try PinSet(certificateData: leaf.der)
        let fromPEM = try PinSet(certificateData: Data(text(leaf).utf8))
        #expect(fromDER == fromPEM)
        #expect(fromDER.hashValue == fromPEM.hashValue)
        #expect(try fromDER.certificates.map(\.der) == [leaf.der])
        #expect(try PinSet(certificateFiles: [leaf.leafPath]) == fromDER)
        let marked = Data([0xEF, 0xBB, 0xBF]) + Data(try text(leaf).utf8)  // as some editors write it
        #expect(try PinSet(certificateData: marked) == fromDER)
    }

    @Test func certificatesOfOneFileKeepTheirOrderWithoutDuplicates() throws {
        let both = "explanation: \n" + (try text(other)) + "\r\nmore\n" + (try text(leaf)) + (try text(other))
        let pins = try PinSet(certificateData: Data(both.utf8))
        #expect(try pins.certificates.map(\.der) == [other.der, leaf.der])
        #expect(pins.count == 2)
    }

    @Test func folderProvidesEveryCertificateFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("b.cer", leaf.der)
        try folder.write("a.PEM", text(other))
        try folder.write("readme.txt", "no certificate")
        try folder.write(".hidden.pem", "no certificate")
        let pins = try PinSet(certificatesInDirectory: folder.url.path)
        #expect(try pins.certificates.map(\.der) == [other.der, leaf.der])
        try folder.write("c.crt", "no certificate")
        refuses({ try PinSet(certificatesInDirectory: folder.url.path) }, naming: "c.crt")
    }

    @Test func bundleResourcesArePinned() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("Some.bundle/pins/leaf.cer", leaf.der)
        let bundle = try #require(Bundle(path: folder.path("Some.bundle")))
        let pins = try PinSet(certificatesInBundle: bundle, subdirectory: "pins")
        #expect(try pins.certificates.map(\.der) == [leaf.der])
        refuses { try PinSet(certificatesInBundle: bundle) }
    }

    @Test(arguments: ["", "Resources/", "Contents/Resources/"])
    func bundleResourcesAreFoundWhereFoundationLooks(place: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("Some.bundle/\(place)leaf.cer", leaf.der)
        try folder.write("Some.bundle/\(place)more/other.cer", other.der)
        let bundle = try #require(Bundle(path: folder.path("Some.bundle")))
        #expect(try PinSet(certificatesInBundle: bundle).certificates.map(\.der) == [leaf.der])
        let more = try PinSet(certificatesInBundle: bundle, subdirectory: "more")
        #expect(try more.certificates.map(\.der) == [other.der])
    }

    @Test func packageResourcesArePinned() throws {
        let pins = try PinSet(certificatesInBundle: .module, subdirectory: "Pins")
        #expect(pins.certificates.map(\.subject) == ["CN=pinned.example"])
        // As computed by `openssl pkey -pubout` and `openssl dgst -sha256`.
        #expect(
            pins.certificates.map(\.publicKeyPin.description) == ["sha256/uGjkgFf/u0pIjdLE3GEU5fiyRar87Q46LbmjRqpFzo0="]
        )
    }

    @Test func emptyOrMissingSourceIsAnError() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        refuses { try PinSet(certificateData: Data()) }
        refuses { try PinSet(certificateFiles: []) }
        refuses({ try PinSet(certificateFiles: ["/nowhere/pin.cer"]) }, naming: "/nowhere/pin.cer")
        refuses { try PinSet(certificatesInDirectory: folder.url.path) }
        refuses { try PinSet(certificatesInDirectory: "/nowhere") }
        refuses { try PinSet(keys: []) }
        refuses { try PinSet(keys: [], backupKeys: ["sha256/" + Data(count: 32).base64EncodedString()]) }
    }

    @Test func brokenCertificateIsAnError() throws {
        let good = try text(leaf)
        let body = good.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
        let (begin, end) = ("-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n")
        var flipped = try leaf.der
        flipped[0] = 0x31
        for text in [
            begin + body, body + end, begin + begin + body + end, begin + "%%%%" + end, begin + end,
            begin + "AAAA" + end, begin + String(body.dropLast(8)) + end, good + begin + "AAAA" + end,
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" + good, "junk",
        ] { refuses { try PinSet(certificateData: Data(text.utf8)) } }
        for data in [flipped, try leaf.der + Data([0]), try leaf.der.dropLast(), try leaf.der + (try leaf.der)] {
            refuses { try PinSet(certificateData: data) }
        }
    }

    @Test func keysAreReadFromTheirDigests() throws {
        let (one, two) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
        let texts = [one, two].map { "sha256/" + $0.base64EncodedString() }
        let pins = try PinSet(keys: [texts[0], texts[0]], backupKeys: [texts[1]])
        #expect(pins.keys.map(\.digest) == [one])
        #expect(pins.backupKeys.map(\.description) == [texts[1]])
        #expect(pins.count == 2)
        refuses({ try PinSet(keys: texts, backupKeys: [texts[1]]) }, naming: texts[1])
        for text in [
            "", "sha256/", "sha256/AAAA", one.base64EncodedString(), "sha1/" + one.base64EncodedString(),
            texts[0] + "=", "sha256/" + Data(count: 33).base64EncodedString(), " " + texts[0],
        ] { refuses { try PinSet(keys: [text]) } }
    }

    @Test func keyPinIsThePublicKeyDigest() throws {
        // The SHA-256 digest of the output of `openssl pkey -pubout`.
        for test in [leaf, other] {
            let certificate = try ServerCertificate(der: test.der)
            #expect(try certificate.publicKeyPin.digest == MessageDigest.bytes(of: test.publicKeyDER))
            #expect(PinSet(certificates: [certificate]).pins(keyOf: certificate))
        }
        let pins = PinSet(certificates: [try ServerCertificate(der: leaf.der)])
        #expect(try !pins.pins(keyOf: ServerCertificate(der: other.der)))
    }

    @Test func unionHasThePinsOfBoth() throws {
        let keys = try PinSet(keys: ["sha256/" + Data(count: 32).base64EncodedString()])
        let both = try PinSet(certificateData: leaf.der).union(keys)
        #expect(both.count == 2)
        #expect(both.union(both) == both)
        #expect(both != keys)
        #expect(PinSet.empty.isEmpty)
    }
}

/// The visible properties of a certificate.
@Suite(.timeLimit(.minutes(1))) struct ServerCertificateTests {
    @Test func certificateFieldsAreRead() throws {
        let certificate = try ServerCertificate(der: TestCertificate.localhost.der)
        #expect(certificate.subject == "CN=localhost")
        #expect(certificate.issuer == "CN=Bluebonnet test root")
        #expect(certificate.dnsNames == ["localhost"])
        #expect(certificate.ipAddresses == ["127.0.0.1", "::1"])
        // 2024-01-01 and 2048-01-01.
        #expect(certificate.validFrom == Date(timeIntervalSince1970: 1_704_067_200))
        #expect(certificate.validUntil == Date(timeIntervalSince1970: 2_461_449_600))
        #expect(certificate.serialNumber.count >= 8)
        #expect(certificate.serialNumber.allSatisfy { $0.isHexDigit })
        #expect(certificate.fingerprint.count == 64)
        #expect(certificate.description == "CN=localhost (\(certificate.publicKeyPin))")
    }

    @Test func certificateWithoutNamesHasNone() throws {
        let certificate = try ServerCertificate(der: TestCertificate.commonNameOnly.der)
        #expect(certificate.dnsNames.isEmpty && certificate.ipAddresses.isEmpty)
    }

    @Test func lettersOutsideASCIIAreReadAsUTF8() throws {
        let test = try TestCertificate.issue(
            commonName: "Bücher", alternativeNames: ["DNS:a.example", "DNS:*.b.example"])
        let certificate = try ServerCertificate(der: test.der)
        // `openssl` reads the two bytes of the umlaut as two letters of Latin-1.
        #expect(certificate.subject == "CN=B\u{C3}\u{BC}cher")
        #expect(certificate.dnsNames == ["a.example", "*.b.example"])
    }
}
