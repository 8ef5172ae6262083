// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct DownloadFolderTests {
        private func operation(_ url: URL, into folder: TemporaryFolder) -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.outputDirectory = folder.url
            return operation
        }

        private func names(_ folder: TemporaryFolder) -> [String]? {
            try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        }

        private func naming(_ disposition: String, _ body: String = "body") -> Reply {
            .response(headers: ["Content-Disposition": disposition], body: body)
        }

        @Test func responseNamesTheFile() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(naming("attachment; filename*=UTF-8''caf%C3%A9.txt")) { server in
                let operation = await operation(server.url("/x"), into: folder).run()
                #expect(operation.error == nil)
                #expect(operation.suggestedFileName == "café.txt")
                #expect(operation.downloadedFile?.lastPathComponent == "café.txt")
                #expect(operation.responseObject as? URL == operation.downloadedFile)
                #expect(operation.responseData == nil)
                #expect(names(folder) == ["café.txt"])
                #expect(FileManager.default.contents(atPath: folder.path("café.txt")) == Data("body".utf8))
            }
        }

        @Test func baseClassDownloadsIntoAFolder() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "body")) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/dir/file.bin?x")))
                operation.outputDirectory = folder.url
                #expect(await operation.run().error == nil)
                #expect(operation.downloadedFile?.lastPathComponent == "file.bin")
                #expect(names(folder) == ["file.bin"])
            }
        }

        // Row B16: no name leads out of the folder.
        @Test(arguments: [
            "../../escaped", "/tmp/escaped", #"..\\escaped"#, "%2e%2e%2fescaped", "CON", ".hidden", "..",
            "escaped\u{1}",
            String(repeating: "long", count: 1024) + ".txt",
        ])
        func fileNameNeverLeavesTheFolder(name: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: false)
            try await TestServer.answering(naming("attachment; filename=\"\(name)\"")) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/from-url")))
                operation.outputDirectory = URL(fileURLWithPath: folder.path("in"))
                #expect(await operation.run().error == nil)
                #expect(names(folder) == ["in"])
                let inside = try? FileManager.default.contentsOfDirectory(atPath: folder.path("in"))
                #expect(inside == operation.suggestedFileName.map { [$0] })
            }
        }

        @Test func linkAtTheTargetIsLeftAlone() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let outside = try TemporaryFolder()
            defer { outside.remove() }
            try outside.write("target", "keep")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("name"), withDestinationPath: outside.path("target"))
            try await TestServer.answering(naming("attachment; filename=name")) { server in
                let operation = await operation(server.url(), into: folder).run()
                #expect(operation.downloadedFile?.lastPathComponent == "name (2)")
                #expect(FileManager.default.contents(atPath: outside.path("target")) == Data("keep".utf8))
            }
        }

        @Test(arguments: ExistingFilePolicy.allCases)
        func existingFileIsKeptUnlessReplaceIsSet(policy: ExistingFilePolicy) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("name", "old")
            try await TestServer.answering(naming("attachment; filename=name", "new")) { server in
                let operation = operation(server.url(), into: folder)
                operation.existingFilePolicy = policy
                _ = await operation.run()
                #expect(operation.code == (policy == .fail ? .cannotWriteFile : nil))
                let old = FileManager.default.contents(atPath: folder.path("name"))
                #expect(old == Data((policy == .replace ? "new" : "old").utf8))
                #expect(names(folder) == (policy == .number ? ["name", "name (2)"] : ["name"]))
            }
        }

        @Test func downloadsOfOneNameDoNotInterleave() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                .response(
                    headers: ["Content-Disposition": "attachment; filename=same.bin"],
                    body: Data(repeating: UInt8(request.query ?? "") ?? 0, count: 100_000))
            }
            try await TestServer.serving(script: script) { server in
                let operations = (0..<20).map { operation(server.url("/file?\($0)"), into: folder) }
                try await RequestOperationManager().enqueueBatch(of: operations).waitUntilFinished()
                #expect(operations.allSatisfy { $0.error == nil })
                #expect(Set(operations.map(\.downloadedFile)).count == 20)
                for (number, operation) in operations.enumerated() {
                    let data = try Data(contentsOf: #require(operation.downloadedFile))
                    #expect(data == Data(repeating: UInt8(number), count: 100_000))
                }
                #expect(names(folder)?.count == 20)
            }
        }

        @Test func interruptedDownloadIsContinued() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"v1\"")
            let script: TestServer.Script = { request in
                Representation.offset(of: request) == nil
                    ? file.whole.cut(afterByteCount: 100_000) : file.answer(to: request)
            }
            try await TestServer.serving(script: script) { server in
                #expect(await operation(server.url("/file"), into: folder).run().error != nil)
                let second = await operation(server.url("/file"), into: folder).run()
                #expect(second.error == nil)
                #expect(server.requests.last?.headers["Range"] != nil)
                #expect(names(folder) == ["file"])
                #expect(FileManager.default.contents(atPath: folder.path("file")) == file.body)
            }
        }

        @Test func refusedResponseLeavesNoFile() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(status: 404, body: "no")) { server in
                let operation = await operation(server.url("/file"), into: folder).run()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.downloadedFile == nil)
                #expect(names(folder) == [])
            }
        }

        @Test func missingFolderIsAnError() async throws {
            try await TestServer.answering(.response()) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.outputDirectory = URL(fileURLWithPath: "/nowhere/at/all")
                #expect(await operation.run().code == .cannotOpenFile)
                #expect(server.requests.isEmpty)
            }
        }

        @Test(arguments: ["new", "new/below", "there"])
        func outputFileWithATrailingSlashIsAFolder(place: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try FileManager.default.createDirectory(atPath: folder.path("there"), withIntermediateDirectories: false)
            try await TestServer.answering(naming("attachment; filename=name.txt")) { server in
                for name in ["name.txt", "name (2).txt"] {
                    let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/x")))
                    operation.outputFile = URL(fileURLWithPath: folder.path(place), isDirectory: true)
                    #expect(await operation.run().error == nil)
                    let path = folder.path(place) + "/" + name
                    let downloaded = try #require(operation.downloadedFile)
                    let expected = URL(fileURLWithPath: path).resolvingSymlinksInPath()
                    #expect(downloaded.resolvingSymlinksInPath() == expected)
                    #expect(operation.responseData == nil)
                    #expect(FileManager.default.contents(atPath: path) == Data("body".utf8))
                }
                #expect(names(folder)?.contains(String(place.prefix { $0 != "/" })) == true)
            }
        }

        @Test func refusedResponseLeavesNothingInTheOutputFilesFolder() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(status: 404, body: "no")) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/file")))
                operation.outputFile = URL(fileURLWithPath: folder.path("new"), isDirectory: true)
                #expect(await operation.run().code == .unacceptableStatus)
                let inside = try FileManager.default.contentsOfDirectory(atPath: folder.path("new"))
                #expect(inside == [])
            }
        }

        @Test func outputFileInAFileIsAnError() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("file", "text")
            try await TestServer.answering(.response()) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.outputFile = URL(fileURLWithPath: folder.path("file"), isDirectory: true)
                #expect(await operation.run().code == .cannotOpenFile)
                #expect(server.requests.isEmpty)
                #expect(FileManager.default.contents(atPath: folder.path("file")) == Data("text".utf8))
            }
        }

        @Test func outputFileAndDirectoryTogetherAreRefused() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response()) { server in
                let operation = operation(server.url(), into: folder)
                for name in ["file", "file/"] {
                    let operation = operation.copied()
                    operation.outputFile = URL(fileURLWithPath: folder.path(name), isDirectory: name.hasSuffix("/"))
                    #expect(await operation.run().code == .invalidRequest)
                }
                #expect(names(folder) == [])
            }
        }

        @Test func outputFileIsTheDownloadedFile() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "body")) { server in
                let operation = await folder.download(server.url())
                #expect(operation.downloadedFile?.path == folder.path)
            }
        }

        @Test func syncedDownloadIsInPlace() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "body")) { server in
                await folder.download(server.url(), TransferOptions { $0.syncsFilesToDisk = true })
                #expect(folder.contents == Data("body".utf8))
                #expect(folder.names == ["file"])
            }
        }
    }

    /// Row G1 without a full disk: a process sets a limit on the size of files for itself.
    @Suite struct FileSizeLimitTests {
        @Test func fileOverTheLimitFailsOnlyItsDownload() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
            try await TestServer.answering(.response(body: .patterned(byteCount: 4 << 20))) { server in
                var low = old
                low.rlim_cur = 1 << 20
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &low)
                let failed = await folder.download(server.url())
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
                #expect(failed.code == .cannotWriteFile)
                #expect((failed.error?.underlying as? POSIXError)?.code == .EFBIG)
                #expect(folder.names == [])
                #expect(await folder.download(server.url()).error == nil)
            }
        }
    }
}
