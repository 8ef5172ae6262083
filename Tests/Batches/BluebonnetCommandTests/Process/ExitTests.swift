// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension ProcessTests {
    /// A program may exit at any moment of its work. `BLUEBONNET_EXIT_PROBE` names another build of `ExitProbe`.
    @Suite struct ExitTests {
        private static let status: Int32 = 7

        /// When a program exits.
        struct Moment: CustomTestStringConvertible {
            var hasAnswer = false
            let microseconds: Int

            var testDescription: String { "\(microseconds) µs after \(hasAnswer ? "the first answer" : "its start")" }
        }

        /// Before the library has started, during its first handshakes, and certainly during requests.
        private static let moments =
            [0, 500, 2000, 5000, 20_000].map { Moment(microseconds: $0) }
            + [0, 1000, 5000].map { Moment(hasAnswer: true, microseconds: $0) }

        private static let probe = ProcessInfo.processInfo.environment["BLUEBONNET_EXIT_PROBE"] ?? "ExitProbe"

        /// 320 programs in total.
        @Test(arguments: moments) func exitDuringRequestsKeepsTheStatus(moment: Moment) async throws {
            try await expectEnds(of: 40, moment)
        }

        /// Another library may have started OpenSSL first. OpenSSL's cleanup then runs.
        @Test(arguments: moments) func exitAfterAnEarlierOpenSSLStartKeepsTheStatus(moment: Moment) async throws {
            try await expectEnds(of: 20, moment, ["EXIT_PROBE_STARTS_OPENSSL"])
        }

        /// Functions registered before the library was loaded run after the library's own atexit function.
        @Test(arguments: [["EXIT_PROBE_WORKS_LATE"], ["EXIT_PROBE_WORKS_LATE", "EXIT_PROBE_STARTS_OPENSSL"]])
        func lateExitFunctionsMayUseDigests(variables: [String]) async throws {
            for moment in Self.moments {
                let ends = try await expectEnds(of: 2, moment, variables)
                for end in ends { #expect(end.output.contains("CN=")) }
            }
        }

        /// fork copies the count of threads that use OpenSSL, but not the threads.
        @Test func forkedChildWaitsForNoThread() async throws {
            let ends = try await expectEnds(of: 2, Moment(microseconds: 0), ["EXIT_PROBE_FORKS"])
            for end in ends {
                let milliseconds = end.output.split(separator: "\n").compactMap { Int($0) }
                #expect(milliseconds.count == 5 && !milliseconds.contains(-1))
                #expect(milliseconds.contains { $0 < 900 }, "\(milliseconds)")
            }
        }

        /// Runs the program `count` times, two at a time, against its own servers.
        @discardableResult
        private func expectEnds(
            of count: Int, _ moment: Moment, _ variables: [String] = []
        ) async throws -> [CommandProcess.End] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var secure = TestServer.Options()
            secure.certificate = .localhost
            let script: TestServer.Script = { _ in .response(body: "answer") }
            return try await TestServer.serving(script: script) { plain in
                try await TestServer.serving(secure, script: script) { secure in
                    try await Self.withHTTP2Server { http2 in
                        let urls = [plain.url(), secure.url()] + http2
                        let ends = try await ends(of: count, moment, variables, urls, folder)
                        for end in ends { #expect(end.status == Self.status, "\(end.errors.prefix(300))") }
                        return ends
                    }
                }
            }
        }

        private func ends(
            of count: Int, _ moment: Moment, _ variables: [String], _ urls: [URL], _ folder: TemporaryFolder
        ) async throws -> [CommandProcess.End] {
            let all = variables + (moment.hasAnswer ? ["EXIT_PROBE_AWAITS_ANSWER"] : [])
            let words = [
                CommandProcess.path(of: Self.probe), "\(Self.status)", "\(moment.microseconds)",
                try TestCertificate.localhost.caPath, folder.url.path,
            ]
            let arguments = all.map { "\($0)=1" } + words + urls.map(\.absoluteString)
            var ends: [CommandProcess.End] = []
            while ends.count < count {
                async let one = CommandProcess(arguments, program: "/usr/bin/env", in: folder).end()
                async let other = CommandProcess(arguments, program: "/usr/bin/env", in: folder).end()
                ends += try await [one, other]
            }
            return ends
        }

        /// Calls `body` with the URL of an HTTP/2 server, or without a URL if nginx is missing.
        private static func withHTTP2Server<Result>(_ body: ([URL]) async throws -> Result) async throws -> Result {
            guard NginxServer.isAvailable else { return try await body([]) }
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let nginx = try await NginxServer.start(documentRoot: folder.url)
            do {
                let result = try await body([nginx.tlsURL("/tiny")])
                await nginx.stop()
                return result
            } catch {
                await nginx.stop()
                throw error
            }
        }
    }
}
