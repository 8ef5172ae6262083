// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Another program changed the files next to a destination. The downloaded file still has the bytes of one
    /// version.
    @Suite struct ChangedPartTests {
        private static let file = Representation(body: .patterned(byteCount: 300_000), etag: "\"one\"")
        private static let partByteCount = 100_000

        /// A change to the files of an interrupted download.
        struct Change: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let apply: @Sendable (_ part: String, _ record: String) throws -> Void

            static let all = [
                Change(testDescription: "bytes altered") { part, _ in
                    try alter(part) { $0.replaceSubrange(50_000..<50_010, with: Data(count: 10)) }
                },
                Change(testDescription: "last byte altered") { part, _ in try alter(part) { $0[99_999] ^= 1 } },
                Change(testDescription: "bytes added") { part, _ in try alter(part) { $0.append(Data(count: 1000)) } },
                Change(testDescription: "longer than the whole") { part, _ in
                    try alter(part) { $0.append(Data(count: 400_000)) }
                },
                Change(testDescription: "cut short") { part, _ in try alter(part) { $0.removeLast(30_000) } },
                Change(testDescription: "emptied") { part, _ in try alter(part) { $0 = Data() } },
                Change(testDescription: "other bytes") { part, _ in
                    try alter(part) { $0 = Data(count: partByteCount) }
                },
                Change(testDescription: "part removed") { part, _ in try FileManager.default.removeItem(atPath: part) },
                Change(testDescription: "record removed") { _, record in
                    try FileManager.default.removeItem(atPath: record)
                },
                Change(testDescription: "both removed") { part, record in
                    try FileManager.default.removeItem(atPath: part)
                    try FileManager.default.removeItem(atPath: record)
                },
                Change(testDescription: "record emptied") { _, record in try alter(record) { $0 = Data() } },
                Change(testDescription: "record cut short") { _, record in try alter(record) { $0.removeLast(20) } },
                Change(testDescription: "nothing") { _, _ in },
            ]

            /// Changes a file in place, at least one tick of the file system's clock after the last write: a change
            /// within the same tick cannot be detected.
            private static func alter(_ path: String, _ change: (inout Data) throws -> Void) throws {
                let url = URL(fileURLWithPath: path)
                var data = try Data(contentsOf: url)
                try change(&data)
                let before = modification(of: path)
                repeat { try data.write(to: url) } while modification(of: path) == before
            }

            private static func modification(of path: String) -> Date? {
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return attributes?[.modificationDate] as? Date
            }
        }

        @Test(arguments: Change.all) func fileIsExactAfterChangeBetweenTwoDownloads(change: Change) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let isSecond = Gate()
            let headByteCount = Self.file.whole.bytes.count - Self.file.body.count
            let script: TestServer.Script = { request in
                isSecond.isOpen
                    ? Self.file.answer(to: request)
                    : Self.file.whole.cut(afterByteCount: headByteCount + Self.partByteCount)
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url("/file")).error != nil)
                #expect(folder.partialContents?.count == Self.partByteCount)
                try change.apply(folder.path + ".bluebonnet-partial", folder.path + ".bluebonnet-partial.json")
                isSecond.open()
                let operation = await folder.download(server.url("/file"))
                #expect(operation.error == nil)
                #expect(folder.contents == Self.file.body)
                #expect(folder.names == ["file"])
            }
        }

        /// Pauses a download when a part has arrived, then changes its files. Later connections get what they
        /// request.
        private func withChangedPause(
            _ change: Change, _ body: (DownloadFolder, TestServer, HTTPRequestOperation) async throws -> Void
        ) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let headByteCount = Self.file.whole.bytes.count - Self.file.body.count
            let half = Self.file.whole.cut(afterByteCount: headByteCount + Self.partByteCount, then: .stall)
            let script: TestServer.Script = { $0.connection == 1 ? half : Self.file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                let operation = folder.operation(URLRequest(url: server.url("/file")))
                operation.start()
                await server.wait { $0.connections.first?.sentByteCount ?? 0 >= headByteCount + Self.partByteCount }
                await becomes(Self.partByteCount) { folder.partialContents?.count }
                operation.pause()
                await server.waitForConnectionsToClose()
                try change.apply(folder.path + ".bluebonnet-partial", folder.path + ".bluebonnet-partial.json")
                try await body(folder, server, operation)
            }
        }

        @Test(arguments: Change.all) func fileIsExactOrAbsentAfterChangeDuringPause(change: Change) async throws {
            try await withChangedPause(change) { folder, _, operation in
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(folder.contents == (operation.error == nil ? Self.file.body : nil))
            }
        }

        @Test(arguments: Change.all)
        func fileIsExactAfterChangeDuringPauseAndCancel(change: Change) async throws {
            try await withChangedPause(change) { folder, server, operation in
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(await folder.download(server.url("/file")).error == nil)
                #expect(folder.contents == Self.file.body)
                #expect(folder.names == ["file"])
            }
        }

        /// Another program's file at the partial file's path must not be taken for the download.
        @Test func foreignFileAtThePartPathIsNotAccepted() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let gate = Gate()
            let whole = Self.file.whole
            let reply = Reply([.bytes(whole.bytes.prefix(150_000)), .wait(until: gate)])
                .then(.bytes(whole.bytes.dropFirst(150_000)))
            try await TestServer.answering(reply) { server in
                let operation = folder.operation(URLRequest(url: server.url("/file")))
                operation.start()
                await eventually(folder.partialContents?.count) { $0 ?? 0 > 0 }
                let part = folder.path + ".bluebonnet-partial"
                try FileManager.default.removeItem(atPath: part)
                try folder.folder.write("file.bluebonnet-partial", "somebody else's")
                gate.open()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cannotWriteFile)
                #expect(folder.contents == nil)
                #expect(FileManager.default.contents(atPath: part) == Data("somebody else's".utf8))
            }
        }
    }
}
