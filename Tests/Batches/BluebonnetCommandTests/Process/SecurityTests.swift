// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct SecurityTests {
        private let folder: TemporaryFolder
        private let ca: String

        init() throws {
            folder = try TemporaryFolder()
            ca = try TestCertificate.localhost.caPath
        }

        /// Runs one line with these `security` members against a TLS server.
        private func run(
            _ security: String, wantsClient: Bool = false, environment: [String] = []
        ) async throws -> (end: CommandProcess.End, requestCount: Int) {
            defer { folder.remove() }
            var options = TestServer.Options()
            options.certificate = .localhost
            options.requiresClientCertificate = wantsClient
            let server = try await TestServer.start(options) { _ in .response(body: "known") }
            let line = #"{"url":"\#(server.url())","security":{\#(security)}}"#
            let path = try folder.write("lines.ndjson", line + "\n")
            let command = [CommandProcess.path(of: "bluebonnet"), "run", path]
            let process = try CommandProcess(environment + command, program: "/usr/bin/env", in: folder)
            let end = await process.end()
            let count = server.requests.count
            await server.stop()
            return (end, count)
        }

        @Test func clientCertificateIsPresented() async throws {
            let client = TestCertificate.client
            let identity = #""clientCertificate":"\#(try client.leafPath)","clientKey":"\#(try client.keyPath)""#
            let (end, count) = try await run(#""ca":"\#(ca)",\#(identity)"#, wantsClient: true)
            #expect(end.status == 0, "\(end.output)\(end.errors)")
            #expect(count == 1)
        }

        @Test(arguments: ["publicKey", "certificate"])
        func matchingPinIsAccepted(mode: String) async throws {
            let own = try TestCertificate.localhost.leafPath
            let (good, goodCount) = try await run(#""ca":"\#(ca)","mode":"\#(mode)","pins":["\#(own)"]"#)
            #expect(good.status == 0 && goodCount == 1, "\(good.output)")
        }

        @Test(arguments: ["publicKey", "certificate"])
        func unpinnedServerGetsNothing(mode: String) async throws {
            let other = try TestCertificate.otherKey.leafPath
            let (end, count) = try await run(#""ca":"\#(ca)","mode":"\#(mode)","pins":["\#(other)"]"#)
            #expect(end.status == 1 && count == 0)
            #expect(try end.results.map { $0.error?.code } == [.pinMismatch])
        }

        @Test func invalidCertificatesCanBeAllowed() async throws {
            let (end, count) = try await run(#""allowInvalidCertificates":true,"validatesHost":false"#)
            #expect(end.status == 0 && count == 1, "\(end.output)")
        }

        @Test(
            arguments: [
                #""clientKey":"/k.pem""#, #""clientCertificate":"/nowhere.pem""#, #""ca":"/nowhere.pem""#,
                #""mode":"certificate""#, #""mode":"publicKey","pins":["/nowhere.pem"]"#,
                #""allowInvalidCertificates":true"#,
            ])
        func unusableSecurityFieldFailsTheOperation(security: String) async throws {
            let (end, count) = try await run(security)
            #expect(end.status == 1 && count == 0)
            #expect(try end.results.map { $0.error?.code } == [.invalidSecurityPolicy], "\(end.output)")
        }

        @Test func environmentDoesNotEnableKeyLogging() async throws {
            let log = try TemporaryFolder()
            defer { log.remove() }
            let variable = "SSLKEYLOGFILE=" + log.path("keys")
            let (end, _) = try await run(#""ca":"\#(ca)""#, environment: [variable])
            #expect(end.status == 0)
            // libcurl creates the file but writes nothing to it.
            #expect((try? Data(contentsOf: URL(fileURLWithPath: log.path("keys"))))?.isEmpty ?? true)
        }
    }
}
