// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

extension ProcessTests {
    @Suite struct ReachabilityTests {
        private func run(_ arguments: [String]) async throws -> CommandProcess.End {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            return try await CommandProcess(["reachability"] + arguments, in: folder).end()
        }

        @Test func hostIsShownWithItsInterfaceAndRoute() async throws {
            let end = try await run(["127.0.0.1"])
            #expect(end.status == 0)
            #expect(
                end.output
                    == "127.0.0.1: Reachable via WiFi, interface lo (loopback), route to 127.0.0.1 from 127.0.0.1\n")
        }

        @Test func linesForProgramsHaveTheirFieldsInOrder() async throws {
            let end = try await run(["127.0.0.1", "--lines"])
            #expect(end.status == 0)
            #expect(
                end.output
                    == "status=reachableViaWiFi target=127.0.0.1 interface=lo kind=loopback destination=127.0.0.1 "
                    + "gateway=- source=127.0.0.1\n")
        }

        @Test func unreachableHostIsAFailure() async throws {
            let end = try await run(["nowhere.invalid.", "--lines"])
            #expect(end.status == 1)
            #expect(
                end.output
                    == "status=notReachable target=nowhere.invalid. interface=- kind=- destination=- gateway=- source=-\n"
            )
        }

        @Test(arguments: ["http://example.com/", "two words", ""])
        func argumentThatIsNoHostIsRefused(_ host: String) async throws {
            let end = try await run([host])
            #expect(end.status == 2)
            #expect(end.errors.contains("is neither a host name nor an address"))
            #expect(end.output.isEmpty)
        }
    }

    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct ReachabilityWatchTests {
        @Test func watchWritesALineForEachChangeUntilInterrupted() async throws {
            let (folder, pipe, namespace) = (try TemporaryFolder(), try TestPipe(), try NetworkNamespace())
            defer {
                namespace.remove()
                folder.remove()
                pipe.closeReadEnd()
            }
            let command = namespace.command(
                [CommandProcess.path(of: "bluebonnet"), "reachability", "--watch", "--lines"])
            let process = try CommandProcess(
                Array(command.dropFirst()), program: command[0], output: pipe.writeEnd, in: folder)
            pipe.closeWriteEnd()
            let nowhere = "status=notReachable target=- interface=- kind=- destination=- gateway=- source=-\n"
            #expect(await line(from: pipe) == nowhere)
            for word in [
                "link add v0 type veth peer name v1", "link set v1 up", "link set v0 up",
                "addr add 10.77.0.2/24 dev v0",
            ] {
                try namespace.ip(word)
            }
            try namespace.ip("route add default via 10.77.0.1")
            #expect(
                await line(from: pipe)
                    == "status=reachableViaWiFi target=- interface=v0 kind=wired destination=198.41.0.4 "
                    + "gateway=10.77.0.1 source=10.77.0.2\n")
            try namespace.ip("link del v0")
            #expect(await line(from: pipe) == nowhere)
            process.send(SIGINT)
            #expect(await process.end().status == 130)
        }

        private func line(from pipe: TestPipe) async -> String {
            String(decoding: await pipe.read(), as: UTF8.self)
        }
    }
}
