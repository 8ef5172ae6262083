// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

extension ProcessTests {
    /// A program may exit at any moment of any work. `BLUEBONNET_EXIT_PROBE` names another build of `ExitProbe`.
    @Suite struct ExitTests {
        private static let status: Int32 = 7
        private static let programCount = 300
        /// Begun at varying moments: before the library has started, at its first handshakes, and amid requests.
        private static let pauses = [0, 500, 2000, 5000, 10_000, 20_000]

        private static let program = ProcessInfo.processInfo.environment["BLUEBONNET_EXIT_PROBE"] ?? "ExitProbe"

        @Test(arguments: pauses) func aProgramEndsAsItSaysWhileRequestsAreUnderWay(microseconds: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var secure = TestServer.Options()
            secure.certificate = .localhost
            let script: TestServer.Script = { _ in .response(body: "answer") }
            let urls = { (servers: [TestServer]) in servers.map { $0.url().absoluteString } }
            try await TestServer.serving(script: script) { plain in
                try await TestServer.serving(secure, script: script) { secure in
                    let authorities = try TestCertificate.localhost.caPath
                    let arguments = ["\(Self.status)", "\(microseconds)", authorities] + urls([plain, secure])
                    let count = Self.programCount / Self.pauses.count
                    var unexpected: [String] = []
                    for _ in 0..<count / 2 {
                        async let first = CommandProcess(arguments, program: Self.program, in: folder).end()
                        async let second = CommandProcess(arguments, program: Self.program, in: folder).end()
                        for end in try await [first, second] where end.status != Self.status {
                            unexpected.append("\(end.status): \(end.errors.prefix(200))")
                        }
                    }
                    #expect(unexpected == [])
                }
            }
        }
    }
}
