// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension CertificateTests {
    /// A man in the middle with a trusted authority, at each position between client and server: rows D5 and D8 of
    /// the reliability rules.
    @Suite(.enabled(if: MitmproxyServer.isAvailable)) struct InterceptionTests {
        @Test(arguments: InterceptedPath.Way.allCases)
        func pinningRefusesTrustedInterceptor(way: InterceptedPath.Way) async throws {
            try await InterceptedPath.with(way) { path in
                let trusted = TrustedAuthorities.file(path.interceptor.caPath)
                let read = await get(path.url("/read"), try path.options(SecurityPolicy(authorities: trusted)))
                #expect(read.responseString == "origin", "\(read.error?.message ?? "")")
                #expect(path.interceptor.log.contains("/read"))
                for mode in [PinningMode.publicKey, .certificate] {
                    for pinned in [TestCertificate.localhost, TestCertificate.Authority.root.certificate] {
                        for invalid in [false, true] {
                            let policy = try SecurityPolicy(
                                pinningMode: mode, pins: PinSet(certificateData: pinned.der),
                                allowInvalidCertificates: invalid, authorities: trusted)
                            let operation = await get(path.url("/pinned"), try path.options(policy))
                            #expect(operation.code == .pinMismatch, "\(mode) \(pinned) \(invalid)")
                            #expect(operation.statusCode == nil)
                        }
                    }
                }
                #expect(!path.interceptor.log.contains("/pinned"))
                #expect(path.origin.requests.map(\.path) == ["/read"])
                #expect(path.origin.history.unfinishedRequests.isEmpty)
            }
        }

        @Test(arguments: InterceptedPath.Way.allCases)
        func pinnedInterceptorIsAcceptedAndUntrustedOneRefused(way: InterceptedPath.Way) async throws {
            try await InterceptedPath.with(way) { path in
                let authority = try Data(contentsOf: URL(fileURLWithPath: path.interceptor.caPath))
                for mode in [PinningMode.publicKey, .certificate] {
                    let policy = try SecurityPolicy(
                        pinningMode: mode, pins: PinSet(certificateData: authority), authorities: .data(authority))
                    #expect(await get(path.url("/own"), try path.options(policy)).responseString == "origin", "\(mode)")
                }
                for policy in [.default, try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))] {
                    #expect(await get(path.url("/stranger"), try path.options(policy)).code == .serverNotTrusted)
                }
                #expect(path.origin.requests.map(\.path) == ["/own", "/own"])
            }
        }

        @Test func secureProxyIsCheckedAgainstItsOwnPins() async throws {
            try await InterceptedPath.with(.secureProxy) { path in
                let trusted = TrustedAuthorities.file(path.interceptor.caPath)
                for mode in [PinningMode.publicKey, .certificate] {
                    var options = try path.options(SecurityPolicy(authorities: trusted))
                    options.proxy?.securityPolicy = try SecurityPolicy(
                        pinningMode: mode, pins: PinSet(certificateData: TestCertificate.localhost.der),
                        authorities: trusted)
                    #expect(await get(path.url("/"), options).code == .pinMismatch)
                }
                #expect(path.origin.connectionCount == 0)
            }
        }

        @Test func redirectFromPinnedHostToInterceptorIsRefused() async throws {
            try await InterceptedPath.with(.inPlaceOfTheServer) { path in
                let target = path.url("/secret").absoluteString
                let pinned = try await TestServer.start(tls: .localhost) { _ in .redirect(to: target) }
                let roots = try [path.interceptor.caPath, TestCertificate.localhost.caPath]
                    .map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
                let policy = try SecurityPolicy(
                    pinningMode: .publicKey, pins: PinSet(certificateData: TestCertificate.localhost.der),
                    authorities: .data(roots[0] + roots[1]))
                let operation = await get(pinned.url(), TransferOptions(policy: policy))
                #expect(operation.code == .pinMismatch)
                #expect(pinned.requests.count == 1)
                #expect(path.origin.requests.isEmpty)
                await pinned.stop()
            }
        }

        /// Runs in its own process, where the interceptor's authority replaces the system's store.
        @Test(.enabled(if: TestProgram.canReplaceFiles))
        func interceptorInSystemStoreReadsOnlyUnpinnedRequests() async throws {
            try await InterceptedPath.with(.inPlaceOfTheServer) { path in
                let store = try #require(try TrustedAuthorities.system.files().first)
                let ends = try await commandEnds(path) { $0.with(path.interceptor.caPath, inPlaceOf: store) }
                #expect(ends == ["none": "success", "publicKey": "pinMismatch", "certificate": "pinMismatch"])
                #expect(path.origin.requests.map(\.path) == ["/none"])
            }
        }

        @Test(arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
        func environmentVariableDoesNotMakeInterceptorTrusted(variable: String) async throws {
            try await InterceptedPath.with(.inPlaceOfTheServer) { path in
                let ends = try await commandEnds(path) { $0.with(environment: [variable: path.interceptor.caPath]) }
                #expect(ends["none"] == "serverNotTrusted")
                #expect(path.origin.requests.isEmpty)
            }
        }

        /// How three request lines of the command end: one without a pin, and one in each pinning mode with the
        /// origin's pin.
        private func commandEnds(
            _ path: InterceptedPath, _ change: (TestProgram) -> TestProgram
        ) async throws -> [String: String] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let pin = try TestCertificate.localhost.leafPath
            let lines = ["none", "publicKey", "certificate"].map { mode in
                let pins = mode == "none" ? "" : #","security":{"mode":"\#(mode)","pins":["\#(pin)"]}"#
                return #"{"id":"\#(mode)","url":"\#(path.url("/" + mode))"\#(pins)}"# + "\n"
            }
            let results = folder.path("results.ndjson")
            let command = TestProgram.built("bluebonnet").with([
                "run", try folder.write("lines.ndjson", lines.joined()), "--results", results,
            ])
            let end = try await change(command).run()
            let text = try? String(contentsOfFile: results, encoding: .utf8)
            let ends = try (text ?? "").split(separator: "\n").map {
                try JSONDecoder().decode(ResultEnd.self, from: Data($0.utf8))
            }
            #expect(ends.count == 3, "\(end.status) \(end.output)")
            return Dictionary(uniqueKeysWithValues: ends.map { ($0.id, $0.error?.code ?? $0.outcome) })
        }
    }
}

/// The parts of a result line that these tests read.
private struct ResultEnd: Decodable {
    struct Fault: Decodable { let code: String }
    let id: String
    let outcome: String
    let error: Fault?
}
