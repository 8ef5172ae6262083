// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite(.enabled(if: NginxServer.isAvailable)) struct NginxTests {
        private let root: TemporaryFolder
        private let folder: DownloadFolder

        init() throws {
            root = try TemporaryFolder()
            folder = try DownloadFolder()
        }

        /// Starts a server for the files in `root`, and removes everything at the end.
        private func serving(_ body: (NginxServer) async throws -> Void) async throws {
            defer {
                root.remove()
                folder.remove()
            }
            let server = try await NginxServer.start(documentRoot: root.url)
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        /// 64 MiB, in which every MiB is different.
        private static let large: Data = {
            let block = Data.patterned(byteCount: 1 << 20)
            return (0..<64).reduce(into: Data()) { body, number in
                body.append(UInt8(number))
                body.append(block.dropFirst())
            }
        }()

        @Test func compressedTextArrivesUnchanged() async throws {
            let text = (0..<20_000).map { "line \($0)\n" }.joined()
            try root.write("lines.txt", text)
            try await serving { server in
                let operation = await get(server.url("/lines.txt"))
                #expect(operation.error == nil)
                #expect(operation.responseHeaders.contains { $0.name.lowercased() == "content-encoding" })
                #expect(operation.responseData == Data(text.utf8))
            }
        }

        @Test func responseToHEADHasALengthAndNoBody() async throws {
            try root.write("file.bin", Data.patterned(byteCount: 12_345))
            try await serving { server in
                for _ in 0..<2 {
                    let operation = await perform(URLRequest("HEAD", server.url("/file.bin")))
                    #expect(operation.error == nil)
                    let lengths = operation.responseHeaders.filter { $0.name.lowercased() == "content-length" }
                    #expect(lengths.map(\.value) == ["12345"])
                    #expect((operation.responseData ?? Data()).isEmpty)
                    #expect(operation.receivedByteCount == 0)
                }
            }
        }

        @Test func http2IsUsedOverTLS() async throws {
            let body = Data.patterned(byteCount: 500_000)
            try root.write("file.bin", body)
            try await serving { server in
                let options = try TransferOptions.trustingTestAuthority
                let operation = await get(server.tlsURL("/file.bin"), options)
                #expect(operation.error == nil)
                #expect(operation.httpVersion == "2")
                #expect(operation.responseData == body)
                var request = URLRequest("POST", server.tlsURL("/upload"))
                request.httpBody = body
                let upload = await perform(request, options)
                #expect(upload.httpVersion == "2")
                #expect(upload.responseString == "received")
            }
        }

        @Test func phasesOfARequestAreMeasured() async throws {
            try await serving { server in
                let options = try TransferOptions.trustingTestAuthority
                for isReused in [false, true] {
                    let operation = await get(server.tlsURL("/tiny"), options)
                    #expect(operation.error == nil)
                    #expect(operation.summary.isReused == isReused)
                    let timings = operation.summary.timings
                    let phases = [timings.queued, timings.nameLookup, timings.connect, timings.tls]
                    #expect(phases.allSatisfy { $0 >= .zero })
                    #expect((timings.tls > .zero) == !isReused)
                    #expect(timings.firstByte > .zero)
                    #expect(timings.total >= timings.firstByte)
                }
            }
        }

        /// Starts a download, and calls `interrupt` on the first bytes.
        private func start(
            _ operation: HTTPRequestOperation, _ interrupt: @escaping @Sendable (RequestOperation) -> Void
        ) async {
            let interrupted = Gate()
            operation.onDownloadProgress = { [unowned operation] _, _, _ in
                operation.onDownloadProgress = nil
                interrupt(operation)
                interrupted.open()
            }
            operation.start()
            await interrupted.wait()
        }

        @Test func pausedDownloadContinuesWhereItStopped() async throws {
            try root.write("large.bin", Self.large)
            try await serving { server in
                let operation = folder.operation(URLRequest(url: server.url("/large.bin")))
                await start(operation) { $0.pause() }
                #expect(operation.isPaused)
                await networkThreadAnswers()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.summary.transferCount == 2)
                #expect(folder.contents == Self.large)
                #expect(folder.names == ["file"])
            }
        }

        @Test func cancelledDownloadIsContinuedByTheNext() async throws {
            try root.write("large.bin", Self.large)
            try await serving { server in
                let first = folder.operation(URLRequest(url: server.url("/large.bin")))
                await start(first) { $0.cancel() }
                try await first.waitUntilEnded()
                #expect(first.code == .cancelled)
                let kept = try #require(folder.partialContents)
                #expect(!kept.isEmpty)
                #expect(kept == Self.large.prefix(kept.count))
                let second = await folder.download(server.url("/large.bin"))
                #expect(second.error == nil)
                #expect(second.statusCode == 206)
                #expect(folder.contents == Self.large)
                #expect(folder.names == ["file"])
            }
        }
    }
}
