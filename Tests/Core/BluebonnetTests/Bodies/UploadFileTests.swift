// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct UploadFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test func fileIsReadPieceByPiece() throws {
        try folder.write("abcdefg", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(file.byteCount == 7)
        #expect(try read(file, 3, at: 0) == "abc")
        #expect(try read(file, 3, at: 3) == "def")
        #expect(try read(file, 3, at: 6) == "g")
        #expect(try read(file, 3, at: 7) == "")
    }

    @Test func emptyFileHasNoBytes() throws {
        try folder.write("", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(file.byteCount == 0)
        #expect(try read(file, 8, at: 0) == "")
    }

    @Test func growingFileIsReadOnlyToItsDeclaredSize() throws {
        try folder.write("abc", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        try folder.append("defghi", to: "file")
        #expect(file.byteCount == 3)
        #expect(try read(file, 8, at: 0) == "abc")
        #expect(try read(file, 8, at: 3) == "")
    }

    @Test func shrunkFileIsAnError() throws {
        try folder.write("abcdef", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(truncate(folder.path("file"), 2) == 0)
        #expect(try read(file, 4, at: 0) == "ab")
        #expect(failure { _ = try read(file, 4, at: 2) } == .cannotReadFile)
    }

    @Test func missingFileIsAnError() {
        let error = #expect(throws: NetworkingError.self) { try UploadFile(path: folder.path("none")) }
        #expect(error?.code == .cannotReadFile)
        #expect((error?.underlying as? POSIXError)?.code == .ENOENT)
    }

    @Test func folderIsRefused() {
        #expect(failure { _ = try UploadFile(path: folder.url.path) } == .cannotReadFile)
    }

    @Test func pipeIsRefusedWithoutWaitingForItsWriter() {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(failure { _ = try UploadFile(path: folder.path("pipe")) } == .cannotReadFile)
    }

    @Test func deviceIsRefused() {
        #expect(failure { _ = try UploadFile(path: "/dev/zero") } == .cannotReadFile)
    }

    @Test func symbolicLinkToAFileIsFollowed() throws {
        try folder.write("abc", to: "file")
        try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("file"))
        #expect(try read(UploadFile(path: folder.path("link")), 8, at: 0) == "abc")
    }

    /// The size of the file is 0, but a read of it gives bytes (proc(5)).
    @Test func procFileIsSentAsRead() throws {
        let file = try UploadFile(path: "/proc/self/comm")
        let text = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(!text.isEmpty && file.byteCount == Int64(text.utf8.count))
        #expect(try read(file, 100, at: 0) == text)
        #expect(try read(file, 100, at: 1) == String(text.dropFirst()))
        #expect(try read(file, 100, at: file.byteCount) == "")
    }

    /// The size of the file is one page (sysfs), but a read of it gives fewer bytes.
    @Test func sysFileHasTheSizeOfItsContents() throws {
        let path = "/sys/kernel/mm/transparent_hugepage/enabled"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        #expect(try UploadFile(path: path).byteCount == Int64(text.utf8.count))
    }

    @Test func smallSparseFileIsSentWithItsZeros() throws {
        try folder.write("", to: "file")
        #expect(truncate(folder.path("file"), 5) == 0)
        let file = try UploadFile(path: folder.path("file"))
        #expect(try read(file, 9, at: 0) == "\0\0\0\0\0")
    }

    private func read(_ file: UploadFile, _ count: Int, at offset: Int64) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return String(decoding: bytes[..<got], as: UTF8.self)
    }

    private func failure(_ body: () throws -> Void) -> NetworkingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NetworkingError)?.code
        }
    }
}

extension ScratchFolder {
    fileprivate func append(_ text: String, to name: String) throws {
        let handle = try FileHandle(forWritingTo: file(name))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }
}

/// A file whose beginning is in memory and whose disk responds when the test allows it.
private final class SlowFile: UploadSource {
    let bytes: Data
    private let cachedByteCount: Int
    /// Signalled for each read to which the disk responds.
    let disk = DispatchSemaphore(value: 0)
    /// Opened when the disk is read.
    let isAsked = Gate()

    init(_ bytes: Data, cachedByteCount: Int = 0) { (self.bytes, self.cachedByteCount) = (bytes, cachedByteCount) }

    var byteCount: Int64 { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int {
        isAsked.open()
        disk.wait()
        disk.signal()  // once it has responded, it always responds
        return bytes.dropFirst(Int(offset)).prefix(buffer.count).copyBytes(to: buffer)
    }

    func readCached(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int? {
        let piece = bytes.prefix(cachedByteCount).dropFirst(Int(offset)).prefix(buffer.count)
        return piece.isEmpty ? nil : piece.copyBytes(to: buffer)
    }
}

/// A file that the disk cannot read.
private struct BrokenFile: UploadSource {
    var byteCount: Int64 { 10 }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int {
        throw NetworkingError(.cannotReadFile, "the disk is broken")
    }

    func readCached(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int? {
        nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct FileFeedTests {
    private static let body = Data.patterned(byteCount: 300_000)

    /// The result of one read; nil while there are no bytes.
    private static func read(_ feed: FileFeed, _ count: Int, at offset: Int) throws -> Data? {
        var bytes = [UInt8](repeating: 0, count: count)
        let piece = try bytes.withUnsafeMutableBytes { try feed.read(into: $0, at: Int64(offset)) }
        guard case .bytes(let count) = piece else { return nil }
        return Data(bytes[..<count])
    }

    /// Reads up to `end`, and waits while there are no bytes.
    private static func readAll(_ feed: FileFeed, from start: Int, to end: Int) async throws -> Data {
        var all = Data()
        while start + all.count < end {
            let (offset, isReady) = (start + all.count, Gate())
            let piece = try await onNetworkThread {
                let piece = try read(feed, 70_000, at: offset)
                if piece == nil { feed.whenReady { isReady.open() } }
                return piece
            }
            guard let piece else {
                await isReady.wait()
                continue
            }
            all += piece
        }
        return all
    }

    @Test func bytesInMemoryAreReadWithoutTheDisk() async throws {
        let file = SlowFile(Self.body, cachedByteCount: Self.body.count)
        let feed = FileFeed(file)
        let piece = try await onNetworkThread { try Self.read(feed, 1_000, at: 5_000) }
        #expect(piece == Self.body[5_000..<6_000])
        #expect(!file.isAsked.isOpen)
    }

    @Test func networkThreadDoesNotWaitForTheDisk() async throws {
        let file = SlowFile(Self.body, cachedByteCount: 100)
        let feed = FileFeed(file)
        let isReady = Gate()
        let pieces = try await onNetworkThread {
            let pieces = [try Self.read(feed, 1_000, at: 0), try Self.read(feed, 1_000, at: 100)]
            feed.whenReady { isReady.open() }
            return pieces
        }
        #expect(pieces == [Self.body.prefix(100), nil])
        await file.isAsked.wait()
        await networkThreadAnswers()
        #expect(!isReady.isOpen)
        file.disk.signal()
        await isReady.wait()
        #expect(try await onNetworkThread { try Self.read(feed, 1_000, at: 100) } == Self.body[100..<1_100])
    }

    @Test func replayReadsFromAnotherOffset() async throws {
        let file = SlowFile(Self.body, cachedByteCount: 10)
        let feed = FileFeed(file)
        file.disk.signal()
        _ = try await onNetworkThread { try Self.read(feed, 1_000, at: 10) }
        for start in [10, 0, 150_000] {
            let all = try await Self.readAll(feed, from: start, to: Self.body.count)
            #expect(all == Self.body.dropFirst(start))
        }
    }

    @Test func diskErrorIsThrown() async throws {
        let feed = FileFeed(BrokenFile())
        let error = await #expect(throws: NetworkingError.self) {
            _ = try await Self.readAll(feed, from: 0, to: 10)
        }
        #expect(error?.code == .cannotReadFile)
        #expect(error?.message == "the disk is broken")
    }

    @Test func uncachedFileIsReadUnchanged() async throws {
        let folder = try ScratchFolder()
        try Self.body.write(to: folder.file("body"))
        let descriptor = open(folder.path("body"), O_RDONLY)
        defer { close(descriptor) }
        #expect(fsync(descriptor) == 0)
        #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
        let feed = FileFeed(try UploadFile(path: folder.path("body")))
        #expect(try await Self.readAll(feed, from: 0, to: Self.body.count) == Self.body)
    }
}

extension NetworkTests {
    @Suite struct SlowUploadTests {
        private static let body = Data.patterned(byteCount: 300_000)

        /// Reports how a transfer ended. Network thread only.
        private final class EndObserver: TransferDelegate {
            private let whenEnded: (NetworkingError?) -> Void

            init(_ whenEnded: @escaping (NetworkingError?) -> Void) { self.whenEnded = whenEnded }

            func transferDidSend(bodyByteCount: Int) {}
            func transferDidStartAgain() {}
            func transferDidReceive(head: ResponseHead) {}
            func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) -> BodyIntake { .taken }
            func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) { whenEnded(error) }
        }

        @Test func stalledDiskDelaysOnlyItsUpload() async throws {
            try await TestServer.answering(.response()) { server in
                let file = SlowFile(Self.body, cachedByteCount: 1_000)
                let url = server.url("/upload")
                let request = TransferRequest(
                    url: url, origin: try #require(Origin(url)), method: "PUT", headers: [],
                    body: .file(FileFeed(file)))
                let partition = try await onNetworkThread {
                    NetworkBound(
                        try #require(
                            CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
                }
                let (codes, hasEnded) = (Observed([NetworkingError.Code?]()), Gate())
                NetworkThread.shared.submit {
                    let observer = EndObserver { error in
                        codes.append(error?.code)
                        hasEnded.open()
                    }
                    _ = partition.value.begin(request, delegate: observer)
                }
                await file.isAsked.wait()
                #expect(await get(server.url("/other")).error == nil)
                #expect(server.requests.map(\.target) == ["/other"])
                file.disk.signal()
                await hasEnded.wait()
                #expect(codes.value == [nil])
                #expect(server.requests.last?.body == Self.body)
                try await onNetworkThread { partition.value.close() }
            }
        }

        @Test(arguments: [307, 308])
        func uncachedFileIsSentAgain(status: Int) async throws {
            let folder = try ScratchFolder()
            try Self.body.write(to: folder.file("body"))
            let descriptor = open(folder.path("body"), O_RDONLY)
            defer { close(descriptor) }
            #expect(fsync(descriptor) == 0)
            let script: TestServer.Script = { request in
                request.path == "/start" ? .redirect(to: "/end", status: status) : .response()
            }
            try await TestServer.serving(script: script) { server in
                #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
                let operation = RequestOperation(request: URLRequest("PUT", server.url("/start")))
                operation.uploadFile = folder.file("body")
                #expect(await operation.run().error == nil)
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
            }
        }
    }
}
