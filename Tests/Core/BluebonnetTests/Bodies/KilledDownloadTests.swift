// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A process that is killed during a download leaves a part that another process continues, or nothing that does
    /// harm.
    @Suite struct KilledDownloadTests {
        private static let byteCount = 1_000_000
        private static let versions = [
            Representation(body: .patterned(byteCount: byteCount), etag: "\"one\""),
            Representation(body: Data(Data.patterned(byteCount: byteCount + 5).reversed()), etag: "\"two\""),
        ]

        /// Serves one file, slowly, in the version that the test selects. When `halves` is not empty, a process that
        /// is to be killed gets only half of the answer.
        private static func script(_ version: Observed<[Int]>, _ halves: Observed<[Bool]>) -> TestServer.Script {
            { request in
                let answer = versions[version.value.last ?? 0].answer(to: request)
                if halves.value.isEmpty || request.headers["X-Process"] == nil {
                    return answer.dripping(chunk: 20_000, every: .microseconds(500))
                }
                return answer.cut(afterByteCount: answer.bytes.count / 2, then: .stall)
            }
        }

        /// Downloads in another process, which sends its process ID. Kills that process when the server has sent
        /// `byteCount` bytes of the answer and `isSeen` finds the received bytes in the file.
        private func downloadAndBeKilled(
            _ server: TestServer, _ path: String, afterByteCount byteCount: Int,
            isSeen: @escaping @Sendable () -> Bool = { true }
        ) async {
            let connectionCount = server.connectionCount
            async let killer: Void = {
                await server.wait { $0.requests.count > 0 && $0.requests.last?.connection ?? 0 > connectionCount }
                await server.wait { log in
                    guard let connection = log.connection(connectionCount + 1) else { return false }
                    return connection.sentByteCount >= byteCount || !connection.isOpen
                }
                await becomes(true) { isSeen() }
                if let pid = server.requests.last?.headers["X-Process"].flatMap({ pid_t($0) }) { kill(pid, SIGKILL) }
            }()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [address = server.url("/file").absoluteString as String, path = path as String] in
                let url = try #require(URL(string: address))
                let request = URLRequest("GET", url, headers: ["X-Process": "\(getpid())"])
                let operation = HTTPRequestOperation(request: request)
                operation.outputFile = URL(fileURLWithPath: path)
                _ = await operation.run()
                // The download was faster than the kill.
                while true { pause() }
            }
            await killer
        }

        @Test(arguments: [1, 2] as [UInt64])
        func anotherProcessContinuesAKilledDownload(seed: UInt64) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            var random = SeededGenerator(seed: seed)
            let (version, halves) = (Observed([Int]()), Observed([Bool]()))
            try await TestServer.serving(script: Self.script(version, halves)) { server in
                for _ in 0..<4 {
                    if Int.random(in: 0..<4, using: &random) == 0 { version.append(1) }
                    let left = Self.byteCount - (folder.partialContents?.count ?? 0)
                    await downloadAndBeKilled(
                        server, folder.path, afterByteCount: Int.random(in: 0..<max(1, left), using: &random))
                    let part = folder.partialContents ?? Data()
                    #expect(Self.versions.contains { $0.body.starts(with: part) }, "a part of one version")
                    let isThere = folder.contents != nil
                    if isThere { #expect(Self.versions.contains { $0.body == folder.contents }) }
                }
                // Whenever the earlier processes were killed, this one leaves a part.
                halves.append(true)
                await downloadAndBeKilled(server, folder.path, afterByteCount: 0) {
                    folder.partialContents?.isEmpty == false
                }
                let part = folder.partialContents ?? Data()
                #expect(!part.isEmpty && Self.versions.contains { $0.body.starts(with: part) })
                let operation = await folder.download(server.url("/file"))
                #expect(operation.error == nil)
                #expect(folder.contents == Self.versions[version.value.last ?? 0].body)
                #expect(folder.names == ["file"])
                #expect(server.requests.contains { $0.headers["Range"] != nil })
            }
        }

        @Test func oldFileRemainsUntilTheNewOneIsComplete() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try folder.folder.write("file", "what was there")
            // The process to be killed never gets the whole body, however late the kill comes.
            let halves = Observed([Bool]())
            halves.append(true)
            try await TestServer.serving(script: Self.script(Observed([]), halves)) { server in
                await downloadAndBeKilled(server, folder.path, afterByteCount: 400_000)
                #expect(folder.contents == Data("what was there".utf8))
                #expect(await folder.download(server.url("/file")).error == nil)
                #expect(folder.contents == Self.versions[0].body)
                #expect(folder.names == ["file"])
            }
        }
    }
}
