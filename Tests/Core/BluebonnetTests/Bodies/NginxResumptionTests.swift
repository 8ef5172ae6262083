// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Interrupted downloads from nginx, a server that other people wrote. Its file may have changed in the meantime.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct NginxResumptionTests {
        private static let byteCount = 600_000
        private static let old = Data.patterned(byteCount: byteCount)

        /// How the file on the server changed.
        enum Change: String, CaseIterable {
            case none, altered, longer, shorter, empty

            var body: Data {
                switch self {
                case .none: old
                case .altered: Data(old.reversed())
                case .longer: Data(old.reversed()) + old
                case .shorter: Data(old.reversed().prefix(100_000))
                case .empty: Data()
                }
            }
        }

        /// The server's files.
        private struct Files {
            let root: TemporaryFolder
            let name = "file.bin"

            /// Writes a version that was last modified `age` seconds ago.
            func write(_ body: Data, age: TimeInterval) throws {
                let path = try root.write(name, body)
                let date = Date(timeIntervalSinceNow: -age)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
        }

        private func serving(_ body: (NginxServer, Files) async throws -> Void) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let server = try await NginxServer.start(documentRoot: root.url)
            do {
                try await body(server, Files(root: root))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        /// Starts a download and calls `interrupt` when the first bytes arrive.
        private func start(
            _ operation: RequestOperation, _ interrupt: @escaping @Sendable (RequestOperation) -> Void
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

        private static let places = ["tagged", "dated", "bare", "whole"]

        /// The download requests only the rest where that is possible and nothing changed. Everywhere the file has
        /// the bytes of one version.
        @Test(arguments: places) func nextDownloadHasOneVersion(place: String) async throws {
            try await serving { server, files in
                for change in Change.allCases {
                    let folder = try DownloadFolder()
                    defer { folder.remove() }
                    try files.write(Self.old, age: 7200)
                    let url = server.url("/\(place)/\(files.name)")
                    let first = folder.operation(URLRequest(url: url))
                    await start(first) { $0.cancel() }
                    try await first.waitUntilEnded()
                    #expect(first.code == .cancelled)
                    if change != .none { try files.write(change.body, age: 3600) }
                    let second = await folder.download(url)
                    #expect(second.error == nil, "\(change)")
                    #expect(folder.contents == change.body, "\(change)")
                    #expect(folder.names == ["file"])
                    let isContinued = change == .none && ["tagged", "dated"].contains(place)
                    #expect(second.statusCode == (isContinued ? 206 : 200), "\(change)")
                }
            }
        }

        @Test(arguments: places) func pausedDownloadHasOneVersion(place: String) async throws {
            try await serving { server, files in
                for change in Change.allCases {
                    let folder = try DownloadFolder()
                    defer { folder.remove() }
                    try files.write(Self.old, age: 7200)
                    let operation = folder.operation(URLRequest(url: server.url("/\(place)/\(files.name)")))
                    await start(operation) { $0.pause() }
                    await networkThreadAnswers()
                    #expect(operation.isPaused)
                    if change != .none { try files.write(change.body, age: 3600) }
                    operation.resume()
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil, "\(change)")
                    #expect(folder.contents == change.body, "\(change)")
                    #expect(folder.names == ["file"])
                }
            }
        }

        /// A file that is written twice within one second has the same date both times.
        @Test func recentDateIsNoValidator() async throws {
            try await serving { server, files in
                let folder = try DownloadFolder()
                defer { folder.remove() }
                let now = Date()
                func write(_ body: Data) throws {
                    let path = try files.root.write(files.name, body)
                    try FileManager.default.setAttributes(
                        [.modificationDate: now.addingTimeInterval(5)], ofItemAtPath: path)
                }
                try write(Self.old)
                let operation = folder.operation(URLRequest(url: server.url("/dated/\(files.name)")))
                await start(operation) { $0.pause() }
                await networkThreadAnswers()
                try write(Change.altered.body)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(folder.contents == Change.altered.body)
            }
        }

        @Test func compressedTextSurvivesAPause() async throws {
            try await serving { server, files in
                let text = Data((0..<150_000).map { "line \($0)\n" }.joined().utf8)
                try files.root.write("lines.txt", text)
                let operation = RequestOperation(request: URLRequest(url: server.url("/tagged/lines.txt")))
                await start(operation) { $0.pause() }
                await networkThreadAnswers()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseData == text)
            }
        }
    }
}
