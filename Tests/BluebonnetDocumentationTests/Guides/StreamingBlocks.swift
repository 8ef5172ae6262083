// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// BLOCK Streaming.md
final class RowStream: InputStream, ReplayableBodyStream {
    private let count: Int
    private var row = 0
    private var status = Stream.Status.notOpen

    init(count: Int) {
        self.count = count
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { row < count }
    override func open() { status = .open }
    override func close() { status = .closed }

    override func read(
        _ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int
    ) -> Int {
        guard row < count else { return 0 }
        row += 1
        let text = Data("row \(row)\n".utf8).prefix(length)
        text.copyBytes(to: buffer, count: text.count)
        return text.count
    }

    func makeReplay() -> InputStream? { RowStream(count: count) }
}
// END

// Request bodies of the page about streaming.
extension PageTests {
    @Test func fileIsSentAsStreamedBody() async throws {
        try await Site.serving { site in
            let (manager, disk) = (site.manager, site.file("photo.jpg"))
            // BLOCK Streaming.md
            try await manager.put("backups/disk.img", body: .file(disk))
            // END
            let sent = try #require(site.server.requests.first)
            #expect(sent.method == "PUT" && sent.bodyText == "photo" && sent.headers["Content-Length"] == "5")
        }
    }

    @Test func formPartsAreReadFromFilesAndStreams() async throws {
        try await Site.serving { site in
            let (manager, log) = (site.manager, site.file("photo.jpg"))
            // BLOCK Streaming.md
            try await manager.post(
                "logs",
                body: .multipart { form in
                    try form.append(fileAt: log, name: "log")
                    try form.append(
                        byteCount: 12, name: "note", fileName: "note.txt"
                    ) { InputStream(data: Data("hello, world".utf8)) }
                })
            // END
            let sent = try #require(site.server.requests.first)
            #expect(sent.bodyText.contains("photo") && sent.bodyText.contains("hello, world"))
            #expect(sent.headers["Content-Length"] == "\(sent.body.count)")
        }
    }

    @Test func streamIsSentInChunks() async throws {
        try await Site.serving { site in
            let (manager, path) = (site.manager, site.path("photo.jpg"))
            // BLOCK Streaming.md
            let upload = manager.operation(
                "PUT", "logs/today", headers: ["Content-Type": "text/plain"])
            upload.inputStream = InputStream(fileAtPath: path)
            upload.onNeedNewBodyStream = { InputStream(fileAtPath: path) }
            try await manager.run(upload)
            // END
            let sent = try #require(site.server.requests.first)
            #expect(sent.bodyText == "photo" && sent.headers["Content-Type"] == "text/plain")
            #expect(sent.headers["Transfer-Encoding"] == "chunked")
        }
    }

    @Test func generatedStreamIsSentAgainAfterRedirect() async throws {
        let script: TestServer.Script = { request in
            request.path == "/v1/rows"
                ? .redirect(to: "/v1/moved", status: 307)
                : .response(headers: ["Content-Type": "application/json"], body: "{}")
        }
        try await Site.scripted(script) { site in
            let upload = site.manager.operation("POST", "rows", headers: ["Content-Type": "text/plain"])
            upload.inputStream = RowStream(count: 3)
            try await site.manager.run(upload)
            #expect(site.server.requests.last?.path == "/v1/moved")
            #expect(site.server.requests.last?.bodyText == "row 1\nrow 2\nrow 3\n")
        }
    }
}

// Response bodies of the page about streaming.
extension PageTests {
    @Test func chunksTogetherAreTheBody() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Streaming.md
            // where "big.bin" is "large.bin"
            let operation = manager.operation("GET", "big.bin")
            let chunks = operation.chunks
            manager.enqueue(operation)
            var byteCount = 0
            for try await chunk in chunks { byteCount += chunk.count }
            // END
            #expect(byteCount == 20_000 && operation.responseData == nil)
        }
    }

    @Test func downloadWithExpectedDigestIsKept() async throws {
        try await Site.serving { site in
            let (manager, disk) = (site.manager, site.file("disk.img"))
            let digested = manager.operation("GET", "images/disk.img", responseSerializer: HTTPResponseSerializer()) {
                $0.computesDigest = true
            }
            try await manager.run(digested)
            let digest = try #require(digested.digest)
            printed.update { $0 = [] }
            // BLOCK Streaming.md
            let file = try await manager.download(
                "images/disk.img", to: disk, expectedDigest: digest
            ).value
            print(file.path)
            // END
            #expect(try Data(contentsOf: disk).count == 20_000)
            #expect(printed.value == [disk.path])
        }
    }

    @Test func downloadIntoFolderReplacesNoFile() async throws {
        let script: TestServer.Script = { _ in
            .response(
                headers: ["Content-Disposition": "attachment; filename=report.txt", "Content-Type": "text/plain"],
                body: "new")
        }
        try await Site.scripted(script) { site in
            let (manager, folder) = (site.manager, site.folder.url)
            try site.folder.write("report.txt", "old")
            printed.update { $0 = [] }
            // BLOCK Streaming.md
            let download = manager.operation("GET", "reports/latest")
            download.outputDirectory = folder
            download.existingFilePolicy = .number
            try await manager.run(download)
            print(download.downloadedFile?.lastPathComponent ?? "no file")
            // END
            #expect(printed.value == ["report (2).txt"])
            #expect(try String(contentsOf: site.file("report.txt"), encoding: .utf8) == "old")
        }
    }

    @Test func bodyIsAppendedToFileByStream() async throws {
        try await Site.serving { site in
            let (manager, path) = (site.manager, site.path("photo.jpg"))
            // BLOCK Streaming.md
            // where "big.bin" is "large.bin"
            let operation = manager.operation("GET", "big.bin")
            operation.outputStream = OutputStream(toFileAtPath: path, append: true)
            try await manager.run(operation)
            // END
            #expect(try Data(contentsOf: site.file("photo.jpg")).count == 20_005)
        }
    }

    @Test func progressReportsAllReceivedBytes() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Streaming.md
            // where "big.bin" is "large.bin"
            let operation = manager.operation("GET", "big.bin")
            operation.responseSerializer = HTTPResponseSerializer()
            operation.onDownloadProgress = { _, received, expected in
                print(received, "of", expected)
            }
            try await manager.run(operation)
            // END
            await printed.becomes { $0.contains("20000 of 20000") }
        }
    }

    @Test func pausedDownloadIsComplete() async throws {
        try await Site.scripted(TaggedImage.slowAnswer) { site in
            let (manager, disk) = (site.manager, site.file("disk.img"))
            printed.update { $0 = [] }
            // BLOCK Streaming.md
            let download = manager.operation("GET", "large.bin") {
                $0.outputFile = disk
            }
            manager.enqueue(download)
            download.pause()
            print(download.isPaused)
            download.resume()
            try await download.waitUntilEnded()
            // END
            #expect(printed.value == ["true"] && download.error == nil)
            #expect(try Data(contentsOf: disk) == TaggedImage.body)
        }
    }
}
