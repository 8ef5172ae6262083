// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TLSSetupCacheTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func copy(_ certificate: TestCertificate, to name: String) throws -> String {
        try folder.write(name, Data(contentsOf: URL(fileURLWithPath: certificate.leafPath)))
    }

    private func source(_ path: String, _ change: (inout TLSOptions) -> Void = { _ in }) throws -> TLSSetupSource {
        var options = TLSOptions()
        change(&options)
        return try TLSSetupSource(options, SecurityPolicy(authorities: .file(path)))
    }

    @Test func unchangedFileIsReadOnce() throws {
        defer { folder.remove() }
        let cache = TLSSetupCache(trustedFor: 0)
        let source = try source(copy(Self.root, to: "root.pem"))
        #expect(try cache.load(source) === cache.load(source))
    }

    @Test func changedFileIsReadAgainWithANewIdentity() throws {
        defer { folder.remove() }
        let cache = TLSSetupCache(trustedFor: 0)
        let source = try source(copy(Self.root, to: "root.pem"))
        let before = try cache.load(source)
        _ = try copy(Self.otherRoot, to: "root.pem")
        let after = try cache.load(source)
        #expect(before != after)
        #expect(ConnectionPoolKey(setup: before) != ConnectionPoolKey(setup: after))
    }

    @Test func equalContentsMakeTheSameIdentity() throws {
        defer { folder.remove() }
        let cache = TLSSetupCache(trustedFor: 0)
        let one = try cache.load(source(copy(Self.root, to: "one.pem")))
        let other = try cache.load(source(copy(Self.root, to: "other.pem")))
        #expect(one == other && one.hashValue == other.hashValue)
    }

    @Test func changedClientKeyIsReadAgain() throws {
        defer { folder.remove() }
        let cache = TLSSetupCache(trustedFor: 0)
        func write(_ certificate: TestCertificate) throws -> String {
            let texts = try [certificate.leafPath, certificate.keyPath].map {
                try String(contentsOfFile: $0, encoding: .utf8)
            }
            return try folder.write("client.pem", texts.joined())
        }
        let path = try write(.client)
        let source = try source(copy(Self.root, to: "root.pem")) { $0.clientIdentity = .files(certificate: path) }
        let before = try cache.load(source)
        _ = try write(.untrustedClient)
        #expect(try cache.load(source) != before)
    }

    @Test func setupIsReadyOnlyBetweenLoadingAndExpiry() throws {
        defer { folder.remove() }
        let source = try source(copy(Self.root, to: "root.pem"))
        let lasting = TLSSetupCache(trustedFor: .max / 2)
        #expect(lasting.ready(source)?.setup == nil)
        let loaded = try lasting.load(source)
        #expect(lasting.ready(source)?.setup === loaded)
        let fleeting = TLSSetupCache(trustedFor: 0)
        _ = try fleeting.load(source)
        #expect(fleeting.ready(source)?.setup == nil)
    }

    @Test func removedFileIsAnError() throws {
        defer { folder.remove() }
        let cache = TLSSetupCache(trustedFor: 0)
        let path = try copy(Self.root, to: "root.pem")
        let source = try source(path)
        _ = try cache.load(source)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: NetworkingError.self) { try cache.load(source) }
    }

    private static let root = TestCertificate.Authority.root.certificate
    private static let otherRoot = TestCertificate.Authority.otherRoot.certificate
}
