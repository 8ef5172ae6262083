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
        private static let pauses = [0, 500, 2000, 5000, 10_000, 20_000]

        private static let probe = ProcessInfo.processInfo.environment["BLUEBONNET_EXIT_PROBE"] ?? "ExitProbe"

        /// 300 programs in all.
        @Test(arguments: pauses) func aProgramEndsAsItSaysWhileRequestsAreUnderWay(microseconds: Int) async throws {
            #expect(try await unexpectedEnds(of: 50, microseconds, program: [Self.probe]) == [])
        }

        /// Another library may have started OpenSSL first, whose clean-up runs then.
        @Test(arguments: pauses) func aProgramEndsAsItSaysWhereOpenSSLWasStartedBefore(microseconds: Int) async throws {
            let program = ["/usr/bin/env", "EXIT_PROBE_STARTS_OPENSSL=1", CommandProcess.path(of: Self.probe)]
            #expect(try await unexpectedEnds(of: 20, microseconds, program: program) == [])
        }

        /// Runs a program so often, two at once, against servers of its own, and gives what ended in another manner.
        private func unexpectedEnds(of count: Int, _ microseconds: Int, program: [String]) async throws -> [String] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var secure = TestServer.Options()
            secure.certificate = .localhost
            let script: TestServer.Script = { _ in .response(body: "answer") }
            return try await TestServer.serving(script: script) { plain in
                try await TestServer.serving(secure, script: script) { secure in
                    let urls = [plain, secure].map { $0.url().absoluteString }
                    let words = ["\(Self.status)", "\(microseconds)", try TestCertificate.localhost.caPath] + urls
                    let arguments = program.dropFirst() + words
                    var ends: [CommandProcess.End] = []
                    while ends.count < count {
                        async let one = CommandProcess(Array(arguments), program: program[0], in: folder).end()
                        async let other = CommandProcess(Array(arguments), program: program[0], in: folder).end()
                        ends += try await [one, other]
                    }
                    return ends.filter { $0.status != Self.status }.map { "\($0.status): \($0.errors.prefix(300))" }
                }
            }
        }
    }
}
