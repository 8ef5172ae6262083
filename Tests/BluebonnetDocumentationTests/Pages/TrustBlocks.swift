// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

/// Replaces a program's report handler.
private func log(_ reason: String, _ chain: [String]) { print(reason, chain.count) }
private func warn(_ text: String) { print(text) }
private func askTheUser(about chain: [ServerCertificate]) async -> Bool { !chain.isEmpty }

extension PageTests {
    private func pinSet(_ certificate: TestCertificate) throws -> PinSet {
        try PinSet(certificateFiles: [certificate.leafPath])
    }

    private func trusting() throws -> SecurityPolicy {
        try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
    }

    @Test func pinsRun() async throws {
        try await Site.serving(tls: .localhost) { site in
            let manager = site.manager
            let (key, backupKey) = (
                "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                "sha256/4bm5+7pRHIcGeBVFfPrkJV4sBoV6pYMTkyDvVcUDfs0="
            )
            // BLOCK PinningAndTrust.md
            let pins = try PinSet(keys: [key], backupKeys: [backupKey])
            manager.securityPolicy = try SecurityPolicy(pinningMode: .publicKey, pins: pins)
            // END
            manager.securityPolicy.authorities = .file(try TestCertificate.localhost.caPath)
            await #expect(throws: NetworkingError.self) { try await manager.delete("users/1") }
            #expect(site.server.history.requests.isEmpty)
        }
    }

    @Test func changedPropertiesRun() async throws {
        try await Site.serving(tls: .wrongHost) { site in
            let (manager, bundlePath) = (site.manager, try TestCertificate.localhost.caPath)
            // BLOCK PinningAndTrust.md
            // where bundlePath is "/etc/example/authorities.pem"
            manager.securityPolicy.validatesDomainName = false
            manager.securityPolicy.authorities = .file(bundlePath)
            // END
            try await manager.delete("users/1")
        }
    }

    @Test func reportOnlyPinsRun() async throws {
        try await Site.serving(tls: .localhost) { site in
            let (manager, newPins) = (site.manager, try pinSet(.otherKey))
            printed.update { $0 = [] }
            // BLOCK PinningAndTrust.md
            manager.securityPolicy = try SecurityPolicy(
                reportOnlyPins: ReportOnlyPins(newPins, expires: Date(timeIntervalSinceNow: 30 * 86_400)))
            manager.onPinViolation = { operation, violation in
                log(violation.reason, violation.presentedChain.map(\.description))
            }
            // END
            manager.securityPolicy.authorities = .file(try TestCertificate.localhost.caPath)
            try await manager.delete("users/1")
            await printed.becomes { $0.contains { $0.contains("matches none of 1 report-only") } }
        }
    }

    @Test func policiesByHostRun() async throws {
        try await Site.serving(tls: .localhost) { site in
            let (manager, pinned) = (site.manager, try trusting())
            // BLOCK PinningAndTrust.md
            // where "127.0.0.1" is "api.example.com"
            manager.securityPolicy = .trustingNobody
            manager.securityPolicy.hosts = try SecurityPolicyTable(["127.0.0.1": pinned, "*.example.com": .default])
            // END
            try await manager.delete("users/1")
            await #expect(throws: NetworkingError.self) {
                try await manager.delete(site.server.url(host: "localhost").absoluteString)
            }
        }
    }

    @Test func serverTrustBlockRuns() async throws {
        try await Site.serving(tls: .selfSigned) { site in
            let operation = site.manager.operation("GET", "me")
            // BLOCK PinningAndTrust.md
            operation.onServerTrust = { _, challenge in
                if challenge.isTrustedByPolicy { return .performDefault }
                return await askTheUser(about: challenge.presentedChain) ? .accept : .refuse
            }
            // END
            try await site.manager.run(operation)
            #expect(operation.statusCode == 200)
        }
    }

    @Test func evaluationRuns() async throws {
        let manager = RequestOperationManager()
        manager.securityPolicy = try trusting()
        let path = try TestCertificate.chained.certificatePath
        // BLOCK PinningAndTrust.md
        // where path is "chain.pem"
        // where 60 is 30 * 86_400
        // where "127.0.0.1" is "api.example.com"
        let chain = try ServerCertificate.certificates(in: Data(contentsOf: URL(fileURLWithPath: path)))
        let nextMonth = Date(timeIntervalSinceNow: 60)
        try manager.securityPolicy.evaluate(chain: chain, host: "127.0.0.1", at: nextMonth)
        // END
        #expect(chain.count == 2)
    }

    @Test func tlsOptionsRun() async throws {
        let manager = RequestOperationManager()
        // BLOCK TLSVersionsAndCertificates.md
        manager.transferOptions.tls = try TLSOptions(minimumVersion: .v13)
        manager.transferOptions.tls.clientIdentity = .files(certificate: "client.pem", key: "client.key")
        // END
        #expect(manager.transferOptions.tls.minimumVersion == .v13)
    }

    @Test func certificateExpiryRuns() async throws {
        try await Site.serving(tls: .localhost) { site in
            let manager = site.manager
            manager.securityPolicy = try trusting()
            let operation = manager.operation("GET", "me")
            try await manager.run(operation)
            printed.update { $0 = [] }
            // BLOCK TLSVersionsAndCertificates.md
            // where 1e9 is 14 * 86_400
            if let expiry = operation.summary.tlsInformation?.certificateExpiry, expiry.timeIntervalSinceNow < 1e9 {
                warn("the server's certificate expires on \(expiry)")
            }
            // END
            #expect(printed.value.contains { $0.hasPrefix("the server's certificate expires on") })
        }
    }
}
