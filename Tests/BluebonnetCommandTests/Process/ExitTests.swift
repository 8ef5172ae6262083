// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

extension ProcessTests {
    /// A program may exit at any moment of any work. `BLUEBONNET_EXIT_PROBE` names another build of `ExitProbe`.
    @Suite struct ExitTests {
        private static let status: Int32 = 7
        /// Microseconds until a program exits: before the library has started, at its first handshakes, amid requests.
        private static let pauses = [0, 500, 2000, 5000, 10_000, 20_000, 50_000]
        /// With so long a pause, some of the programs must have come to their servers, or the test would show nothing.
        private static let longPause = 20_000

        private static let probe = ProcessInfo.processInfo.environment["BLUEBONNET_EXIT_PROBE"] ?? "ExitProbe"

        private static func program(_ variables: [String]) -> [String] {
            ["/usr/bin/env"] + variables.map { "\($0)=1" } + [CommandProcess.path(of: probe)]
        }

        /// 350 programs in all.
        @Test(arguments: pauses) func aProgramEndsAsItSaysWhileRequestsAreUnderWay(microseconds: Int) async throws {
            try await expectEnds(of: 50, microseconds, program: [Self.probe])
        }

        /// Another library may have started OpenSSL first, whose clean-up runs then.
        @Test(arguments: pauses) func aProgramEndsAsItSaysWhereOpenSSLWasStartedBefore(microseconds: Int) async throws {
            try await expectEnds(of: 20, microseconds, program: Self.program(["EXIT_PROBE_STARTS_OPENSSL"]))
        }

        /// What was registered before the library was loaded runs after the library's own function of atexit.
        @Test(arguments: [["EXIT_PROBE_WORKS_LATE"], ["EXIT_PROBE_WORKS_LATE", "EXIT_PROBE_STARTS_OPENSSL"]])
        func functionsThatRunLateInExitMayUseDigests(variables: [String]) async throws {
            for microseconds in [0, 10_000, 50_000] {
                let ends = try await expectEnds(of: 6, microseconds, program: Self.program(variables))
                for end in ends { #expect(end.output.contains("CN=")) }
            }
        }

        /// The count of threads that use OpenSSL is copied with the process, the threads are not.
        @Test func aChildOfForkWaitsForNoThread() async throws {
            let ends = try await expectEnds(of: 2, 0, program: Self.program(["EXIT_PROBE_FORKS"]))
            for end in ends {
                let milliseconds = end.output.split(separator: "\n").compactMap { Int($0) }
                #expect(milliseconds.count == 5 && !milliseconds.contains(-1))
                #expect(milliseconds.contains { $0 < 900 }, "\(milliseconds)")
            }
        }

        /// Runs a program so often, two at once, against servers of its own.
        @discardableResult
        private func expectEnds(
            of count: Int, _ microseconds: Int, program: [String]
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
                        let ends = try await ends(of: count, microseconds, program, urls, folder)
                        for end in ends { #expect(end.status == Self.status, "\(end.errors.prefix(300))") }
                        if microseconds >= Self.longPause {
                            #expect(plain.connectionCount > 0)
                            #expect(secure.connectionCount > 0)
                        }
                        return ends
                    }
                }
            }
        }

        private func ends(
            of count: Int, _ microseconds: Int, _ program: [String], _ urls: [URL], _ folder: TemporaryFolder
        ) async throws -> [CommandProcess.End] {
            let words = ["\(Self.status)", "\(microseconds)", try TestCertificate.localhost.caPath, folder.url.path]
            let arguments = Array(program.dropFirst()) + words + urls.map(\.absoluteString)
            var ends: [CommandProcess.End] = []
            while ends.count < count {
                async let one = CommandProcess(arguments, program: program[0], in: folder).end()
                async let other = CommandProcess(arguments, program: program[0], in: folder).end()
                ends += try await [one, other]
            }
            return ends
        }

        /// Calls `body` with the URL of a server that speaks HTTP/2, where there is nginx.
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
