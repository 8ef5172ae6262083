// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct CacheBodyFileTests {
    /// One read of a body whose recorded length is 7 bytes.
    struct Reading: Sendable, CustomTestStringConvertible {
        /// What the file contains.
        let contents: String
        let offset: Int64
        let roomByteCount: Int
        /// The bytes that are read; nil if the read fails.
        let bytes: String?

        init(_ contents: String, at offset: Int64, _ roomByteCount: Int, _ bytes: String?) {
            (self.contents, self.offset, self.roomByteCount, self.bytes) = (contents, offset, roomByteCount, bytes)
        }

        var testDescription: String { "\(roomByteCount) bytes at \(offset) of \"\(contents)\"" }
    }

    private static let byteCount: Int64 = 7
    private static let readings = [
        Reading("abcdefg", at: 0, 7, "abcdefg"),
        Reading("abcdefg", at: 0, 3, "abc"),
        Reading("abcdefg", at: 2, 3, "cde"),
        Reading("abcdefg", at: 5, 10, "fg"),
        Reading("abcdefg", at: 7, 10, ""),
        Reading("abcdefg", at: 9, 10, ""),
        Reading("abcdefg", at: 0, 0, ""),
        // A cut file.
        Reading("abc", at: 0, 3, "abc"),
        Reading("abc", at: 0, 7, nil),
        Reading("abc", at: 2, 3, nil),
        Reading("abc", at: 3, 3, nil),
        Reading("", at: 0, 7, nil),
        // A file that is longer than recorded.
        Reading("abcdefghi", at: 0, 9, "abcdefg"),
        Reading("abcdefghi", at: 7, 2, ""),
    ]

    private let folder: ScratchFolder
    private let url: URL

    init() throws {
        folder = try ScratchFolder()
        url = try #require(URL(string: "http://h/file"))
    }

    /// Opens a file of the folder as a body.
    private func opened(_ name: String, byteCount: Int64, sha256: String = "") throws -> CacheBodyFile {
        let descriptor = open(folder.path(name), O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        return CacheBodyFile(descriptor: descriptor, byteCount: byteCount, sha256: sha256)
    }

    private func opened(_ body: Data, _ name: String = "body") throws -> CacheBodyFile {
        try body.write(to: folder.file(name))
        return try opened(
            name, byteCount: Int64(body.count), sha256: MessageDigest.hexadecimalDigest(of: body))
    }

    private func read(_ file: CacheBodyFile, _ count: Int, at offset: Int64) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return String(decoding: bytes[..<got], as: UTF8.self)
    }

    // MARK: Reading

    @Test(arguments: readings) func readEndsAtTheRecordedLength(_ reading: Reading) throws {
        try folder.write(reading.contents, to: "body")
        let file = try opened("body", byteCount: Self.byteCount)
        guard let bytes = reading.bytes else {
            let error = #expect(throws: NetworkingError.self) {
                try read(file, reading.roomByteCount, at: reading.offset)
            }
            #expect(error?.code == .cannotReadFile && (error?.underlying as? POSIXError)?.code == .EIO)
            return
        }
        #expect(try read(file, reading.roomByteCount, at: reading.offset) == bytes)
    }

    /// A read from memory returns nil rather than no bytes: `read` then says whether the body has ended or was cut.
    @Test(arguments: readings) func readFromMemoryReturnsBytesOfTheBodyOrNil(_ reading: Reading) throws {
        try folder.write(reading.contents, to: "body")
        let file = try opened("body", byteCount: Self.byteCount)
        var bytes = [UInt8](repeating: 0, count: reading.roomByteCount)
        let count = try bytes.withUnsafeMutableBytes { try file.readCached(into: $0, at: reading.offset) }
        let body = reading.contents.utf8.prefix(Int(Self.byteCount)).dropFirst(Int(reading.offset))
        #expect(count != 0 && body.starts(with: bytes[..<(count ?? 0)]))
    }

    @Test func partOfTheBodyIsReadIntoMemory() throws {
        try folder.write("abc", to: "body")
        let file = try opened("body", byteCount: Self.byteCount)
        for (range, text) in [(0..<3, "abc"), (1..<2, "b"), (3..<3, "")] as [(Range<Int64>, String)] {
            #expect(try file.contents(of: range) == Data(text.utf8))
        }
        for range in [0..<4, 2..<7, 3..<4] as [Range<Int64>] {
            let error = #expect(throws: NetworkingError.self) { try file.contents(of: range) }
            #expect(error?.code == .cannotReadFile, "\(range)")
        }
    }

    enum Loss: CaseIterable { case removed, replaced, moved }

    @Test(arguments: Loss.allCases) func openFileOutlivesItsName(_ loss: Loss) async throws {
        let body = Data.patterned(byteCount: 300_000)
        let file = try opened(body)
        let start = try file.contents(of: 0..<100_000)
        switch loss {
        case .removed: try FileManager.default.removeItem(at: folder.file("body"))
        case .replaced:
            try folder.write("other", to: "other")
            #expect(rename(folder.path("other"), folder.path("body")) == 0)
        case .moved: #expect(rename(folder.path("body"), folder.path("elsewhere")) == 0)
        }
        #expect(try start + file.contents(of: 100_000..<300_000) == body)
        #expect(try await copy(file, to: "out") == body)
    }

    // MARK: Copies

    /// Makes the file of a download a copy, and returns the error of the copy.
    private func copy(_ source: CacheBodyFile, to target: PartialFile) async -> NetworkingError? {
        await withCheckedContinuation { ended in
            NetworkThread.shared.submit {
                let sink = FileSink(target)
                sink.copy(source)
                sink.close { ended.resume(returning: $0) }
            }
        }
    }

    /// Makes a download that is a copy, and returns what its destination contains.
    private func copy(_ source: CacheBodyFile, to name: String) async throws -> Data {
        let target = try PartialFile(destination: folder.path(name), url: url)
        if let error = await copy(source, to: target) { throw error }
        _ = try target.moveIntoPlace()
        return try Data(contentsOf: folder.file(name))
    }

    @Test(arguments: [0, 1, 5_000, 3_000_001]) func downloadIsACopyOfTheBody(byteCount: Int) async throws {
        let body = Data.patterned(byteCount: byteCount)
        #expect(try await copy(opened(body), to: "out") == body)
        try Data("changed".utf8).write(to: folder.file("out"))
        #expect(try Data(contentsOf: folder.file("body")) == body)
    }

    @Test func downloadHasTheRecordedDigest() async throws {
        try folder.write("abcdefg", to: "body")
        let file = try opened("body", byteCount: Self.byteCount, sha256: "recorded")
        let target = try PartialFile(destination: folder.path("out"), url: url)
        #expect(await copy(file, to: target) == nil)
        #expect(try target.digest() == "recorded")
    }

    @Test func cutBodyFailsTheDownload() async throws {
        try folder.write("abc", to: "body")
        let target = try PartialFile(destination: folder.path("out"), url: url)
        let error = try await copy(opened("body", byteCount: Self.byteCount), to: target)
        #expect(error?.code == .cannotWriteFile && (error?.underlying as? POSIXError)?.code == .EIO)
        #expect(folder.text("out") == nil)
    }

    @Test func longerFileIsCopiedUpToTheRecordedLength() async throws {
        try folder.write("abcdefghi", to: "body")
        #expect(try await copy(opened("body", byteCount: Self.byteCount), to: "out") == Data("abcdefg".utf8))
    }

    /// A program may have linked the stored file. The destination's name then gets another file.
    @Test(arguments: [true, false]) func destinationThatIsALinkToTheBodyLeavesTheBody(isHardLink: Bool) async throws {
        let body = Data.patterned(byteCount: 5_000)
        let file = try opened(body)
        if isHardLink {
            #expect(link(folder.path("body"), folder.path("out")) == 0)
        } else {
            #expect(symlink(folder.path("body"), folder.path("out")) == 0)
        }
        #expect(try await copy(file, to: "out") == body)
        let output = try FileHandle(forWritingTo: folder.file("out"))
        try output.write(contentsOf: Data("changed".utf8))
        try output.close()
        #expect(try Data(contentsOf: folder.file("body")) == body)
        #expect(try linkCount("body") == 1 && number("out") != number("body"))
    }

    /// The cache's files are for their owner only. A download has the permissions of a new file, or of the file that it
    /// replaces.
    @Test func downloadDoesNotGetThePermissionsOfTheCache() async throws {
        let file = try opened(Data.patterned(byteCount: 5_000))
        #expect(chmod(folder.path("body"), 0o600) == 0)
        let other = open(folder.path("new"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        try #require(other >= 0)
        close(other)
        try folder.write("old", to: "replaced")
        #expect(chmod(folder.path("replaced"), 0o640) == 0)
        for name in ["out", "replaced"] { _ = try await copy(file, to: name) }
        #expect(try permissions("out") == permissions("new"))
        #expect(try permissions("replaced") == 0o640 && permissions("body") == 0o600)
    }

    private func attribute(_ key: FileAttributeKey, _ name: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: folder.path(name))[key]
        return try #require((value as? NSNumber)?.intValue)
    }

    private func linkCount(_ name: String) throws -> Int { try attribute(.referenceCount, name) }
    private func number(_ name: String) throws -> Int { try attribute(.systemFileNumber, name) }
    private func permissions(_ name: String) throws -> Int { try attribute(.posixPermissions, name) & 0o777 }

    // MARK: Descriptor

    /// The other end of a pipe shows whether the descriptor is open.
    private func isClosed(_ otherEnd: Int32) -> Bool {
        var entry = pollfd(fd: otherEnd, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test(arguments: [true, false]) func descriptorIsClosedWithTheObject(isOnNetworkThread: Bool) async throws {
        var ends: [Int32] = [-1, -1]
        let result = bluebonnet_pipe(&ends)
        try #require(result == 0)
        let (descriptor, otherEnd) = (ends[0], ends[1])
        defer { close(otherEnd) }
        let hold: @Sendable () -> Bool = {
            let file = CacheBodyFile(descriptor: descriptor, byteCount: 0, sha256: "")
            return withExtendedLifetime(file) { isClosed(otherEnd) }
        }
        let wasClosed = try await isOnNetworkThread ? onNetworkThread(hold) : hold()
        #expect(!wasClosed)
        while !isClosed(otherEnd) { try await Task.sleep(for: .milliseconds(1)) }
    }
}
