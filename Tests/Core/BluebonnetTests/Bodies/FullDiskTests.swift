// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

@testable import Bluebonnet

extension SmallFileSystem {
    /// Makes a download to a file in this file system.
    fileprivate func operation(_ url: URL) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.outputFile = URL(fileURLWithPath: folder.path("file"))
        return operation
    }
}

extension NetworkTests {
    // The tests fill a small mounted file system. Mounting takes root's rights.
    @Suite(.enabled(if: SmallFileSystem.isAvailable)) struct FullDiskTests {
        private static let body = Data.patterned(byteCount: 4 << 20)

        @Test func fullDiskFailsOnlyItsDownload() async throws {
            let small = try SmallFileSystem()
            defer { small.remove() }
            let elsewhere = try DownloadFolder()
            defer { elsewhere.remove() }
            try await TestServer.answering(.response(body: Self.body)) { server in
                let failing = small.operation(server.url("/small"))
                let succeeding = elsewhere.operation(URLRequest(url: server.url("/elsewhere")))
                let batch = RequestOperationManager().enqueueBatch(of: [failing, succeeding])
                try await batch.waitUntilFinished()
                #expect(failing.code == .cannotWriteFile)
                #expect(!FileManager.default.fileExists(atPath: small.folder.path("file")))
                #expect(succeeding.error == nil)
                #expect(elsewhere.contents == Self.body)
            }
        }

        @Test func fullDiskFailsADownloadIntoItsFolder() async throws {
            let small = try SmallFileSystem()
            defer { small.remove() }
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/name")))
                operation.outputDirectory = small.folder.url
                #expect(await operation.run().code == .cannotWriteFile)
                let names = try? FileManager.default.contentsOfDirectory(atPath: small.folder.url.path)
                #expect(names == [])
            }
        }

        @Test(arguments: [nil, "\"one\""])
        func downloadSucceedsOnceTheDiskHasSpace(etag: String?) async throws {
            let small = try SmallFileSystem()
            defer { small.remove() }
            let file = Representation(body: Self.body, etag: etag)
            let script: TestServer.Script = { file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                #expect(await small.operation(server.url()).run().code == .cannotWriteFile)
                try small.grow(toMebibytes: 8)
                #expect(await small.operation(server.url()).run().error == nil)
                #expect(FileManager.default.contents(atPath: small.folder.path("file")) == Self.body)
            }
        }
    }
}
