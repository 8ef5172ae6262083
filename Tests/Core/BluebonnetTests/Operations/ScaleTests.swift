// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import TestSupport
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite(.enabled(if: NginxServer.isAvailable)) struct ScaleTests {
        /// Starts a server for the files of a folder, and stops it after `body`, even if `body` throws.
        private func serving(_ folder: TemporaryFolder, _ body: (NginxServer) async throws -> Void) async throws {
            let server = try await NginxServer.start(documentRoot: folder.url)
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        /// The names of all current threads of the process, including the threads of Dispatch and of the test server.
        private static var threadNames: [String] {
            let folder = "/proc/self/task"
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return threads.compactMap { thread in
                let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
                return name?.trimmingCharacters(in: .newlines)
            }
        }

        /// The current resident memory of the process (VmRSS), in KiB.
        private static var residentKibibytes: Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }

        @Test func tenThousandRequestsUseOneThreadAndLeakNothing() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await serving(folder) { server in
                // Runs in its own process, because other suites run at the same time and have threads too.
                await #expect(processExitsWith: .success) { [address = server.url("/tiny").absoluteString as String] in
                    try await Self.requestTenThousandTimes(#require(URL(string: address)))
                }
            }
        }

        private static func requestTenThousandTimes(_ url: URL) async throws {
            #expect(await get(url).error == nil)
            await closeIdleConnections()
            let before = ResourceSnapshot.current()
            let manager = RequestOperationManager()
            manager.responseSerializer = HTTPResponseSerializer()
            let operations = (0..<10_000).map { _ in manager.operation(with: URLRequest(url: url)) }
            let samples = Observed([[String]]())
            let batch = manager.enqueueBatch(
                of: operations,
                progress: { count, _ in if count % 100 == 0 { samples.append(threadNames) } })
            try await batch.waitUntilFinished()
            let body = Data("Hello, world!".utf8)
            #expect(operations.count { $0.responseData == body } == 10_000)
            #expect(samples.value.count >= 50)
            let most = try #require(samples.value.max { $0.count < $1.count })
            #expect(most.count <= 20, "\(most)")
            #expect(samples.value.allSatisfy { $0.count { $0 == "org.bluebonnet" } == 1 })
            await closeIdleConnections()
            #expect(await ResourceSnapshot.growthAfterSettling(to: before).isEmpty)
        }

        @Test(.skipped(in: .address, because: "the sanitizer keeps freed memory"))
        func largeDownloadNeedsLittleMemory() async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: root.write("zeros.bin", "")))
            try file.truncate(atOffset: 200 << 20)
            try file.close()
            try await serving(root) { server in
                await #expect(processExitsWith: .success) { [address = server.url("/").absoluteString as String] in
                    try await Self.download(from: #require(URL(string: address)), byteCount: 200 << 20)
                }
            }
        }

        private static func download(from server: URL, byteCount: Int64) async throws {
            let destination = try DownloadFolder()
            defer { destination.remove() }
            let tiny = try #require(URL(string: "tiny", relativeTo: server)?.absoluteURL)
            let large = try #require(URL(string: "zeros.bin", relativeTo: server)?.absoluteURL)
            #expect(await destination.download(tiny).error == nil)
            let before = residentKibibytes
            let samples = Observed([Int]())
            let operation = destination.operation(URLRequest(url: large))
            operation.onDownloadProgress = { _, _, _ in samples.append(residentKibibytes) }
            _ = await operation.run()
            #expect(operation.error == nil)
            #expect(operation.receivedByteCount == byteCount)
            #expect(before > 0)
            #expect(((samples.value + [residentKibibytes]).max() ?? .max) - before < 32 << 10)
        }
    }
}
