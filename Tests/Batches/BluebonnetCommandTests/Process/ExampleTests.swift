// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    @Suite struct ExampleTests {
        private static let examples = [
            "BatchExample", "DependentCallsExample", "CancelAndPauseExample", "TokensAndLimitsExample",
        ]

        @Test(arguments: examples + ["Demo", "ReachabilityExample"])
        func exampleWithoutArgumentsExplainsItself(_ name: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess([], program: name, in: folder).end()
            #expect(end.status == 2)
            #expect(end.output.hasPrefix("usage: \(name)"))
        }

        @Test(
            arguments: zip(
                examples,
                ["20 of 20", "async: Ada Lovelace", "2000000 bytes in 2 transfers", "200 of 200 readings"]))
        func exampleDoesWhatItSaysAndEnds(_ name: String, _ text: String) async throws {
            let (folder, pipe) = (try TemporaryFolder(), try TestPipe())
            defer { folder.remove() }
            let demo = try CommandProcess(["--serve"], program: "Demo", output: pipe.writeEnd, in: folder)
            pipe.closeWriteEnd()
            let greeting = String(decoding: await pipe.read(), as: UTF8.self)
            let url = try #require(greeting.split(separator: " ").first { $0.hasPrefix("http://") })
            let end = try await CommandProcess([String(url)], program: name, in: folder).end()
            demo.send(SIGTERM)
            _ = await demo.end()
            pipe.closeReadEnd()
            #expect(end.status == 0)
            #expect(end.output.contains(text))
        }

        @Test func reachabilityExampleReportsByBlockAndByStream() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(["127.0.0.1", "1"], program: "ReachabilityExample", in: folder).end()
            #expect(end.status == 0)
            #expect(end.output == "block: Reachable via WiFi\nstream: 127.0.0.1 by lo, which is loopback\n")
        }

        @Test(arguments: examples)
        func exampleWithoutAServerFailsAndEnds(_ name: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(["http://127.0.0.1:1/"], program: name, in: folder).end()
            #expect(end.status == 1)
            #expect(end.output.contains("cannotConnect"))
        }
    }
}
