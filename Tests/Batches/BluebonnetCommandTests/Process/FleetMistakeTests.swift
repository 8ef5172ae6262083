// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

extension ProcessTests {
    /// Invalid fleet command lines, and unusable stores.
    @Suite struct FleetMistakeTests {
        private func run(_ arguments: [String]) async throws -> CommandProcess.End {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            return try await CommandProcess(arguments, in: folder).end()
        }

        @Test(arguments: ["status", "results", "pause", "resume", "cancel", "retry-failed", "remove"])
        func unreachableStoreIsReportedInOneLine(command: String) async throws {
            // Nothing listens on a port that was just free.
            let store = "postgresql://fleet@127.0.0.1:\(try LoopbackPort.unused())/fleet"
            let end = try await run([command, "nightly", "--store", store])
            #expect(end.status == 2)
            #expect(end.output.isEmpty)
            #expect(end.errors.contains("the store cannot be reached: "))
            #expect(end.errors.filter(\.isNewline).count == 1)
        }

        @Test(arguments: [["submit"], ["schedule", "s", "--every", "* * * * *"]])
        func lineWithoutEndIsRefused(command: [String]) async throws {
            let end = try await run(command + ["/dev/zero", "--store", "postgresql://fleet@127.0.0.1/fleet"])
            #expect(end.status == 2 && end.errors == "line 1: longer than 64 MiB\n")
        }

        @Test func storeThatIsNoPostgreSQLIsRefused() async throws {
            let end = try await run(["status", "--store", "mysql://fleet@127.0.0.1/fleet"])
            #expect(end.status == 2)
            #expect(end.errors.contains("its URL starts with postgresql://, not mysql://"))
        }

        @Test func emptyStoreIsRefused() async throws {
            let end = try await run(["status", "--store", ""])
            #expect(end.status == 2)
            #expect(end.errors.contains("no store: use --store"))
        }

        @Test func passwordInAMalformedStoreStringIsNotShown() async throws {
            for store in [
                "postgresql://fleet:hunter/2secret@127.0.0.1/fleet", "host=127.0.0.1 password=hunter 2secret",
            ] {
                for command in ["status", "work"] {
                    let end = try await run([command, "--store", store])
                    #expect(end.status == 2)
                    #expect(end.errors.hasPrefix("Error: the store's connection string cannot be used: "))
                    #expect(!end.errors.contains("hunter") && !end.errors.contains("2secret"), "\(end.errors)")
                }
            }
        }

        @Test func workerWithAWrongConnectionStringEnds() async throws {
            let end = try await run(["work", "--store", "host=127.0.0.1 prt=5432"])
            #expect(end.status == 2)
            #expect(end.errors.contains("invalid connection option"))
        }

        @Test func workerWaitsForAnUnreachableStoreUntilTerminated() async throws {
            let (folder, pipe) = (try TemporaryFolder(), try TestPipe())
            defer { folder.remove() }
            let store = "postgresql://fleet@127.0.0.1:\(try LoopbackPort.unused())/fleet"
            let worker = try CommandProcess(["work", "--store", store], errors: pipe.writeEnd, in: folder)
            pipe.closeWriteEnd()
            let text = String(decoding: await pipe.read(), as: UTF8.self)
            #expect(text.contains("the store cannot be reached: "))
            worker.send(SIGTERM)
            #expect(await worker.end().status == 0)
            pipe.closeReadEnd()
        }
    }
}
