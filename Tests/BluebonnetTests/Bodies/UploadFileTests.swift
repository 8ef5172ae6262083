// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct UploadFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test func aFileIsReadPieceByPiece() throws {
        try folder.write("abcdefg", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(file.byteCount == 7)
        #expect(try read(file, 3, at: 0) == "abc")
        #expect(try read(file, 3, at: 3) == "def")
        #expect(try read(file, 3, at: 6) == "g")
        #expect(try read(file, 3, at: 7) == "")
    }

    @Test func anEmptyFileHasNothing() throws {
        try folder.write("", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(file.byteCount == 0)
        #expect(try read(file, 8, at: 0) == "")
    }

    @Test func fileThatGrowsIsReadToItsDeclaredSizeOnly() throws {
        try folder.write("abc", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        try folder.append("defghi", to: "file")
        #expect(file.byteCount == 3)
        #expect(try read(file, 8, at: 0) == "abc")
        #expect(try read(file, 8, at: 3) == "")
    }

    @Test func aFileThatShrankIsAnError() throws {
        try folder.write("abcdef", to: "file")
        let file = try UploadFile(path: folder.path("file"))
        #expect(truncate(folder.path("file"), 2) == 0)
        #expect(try read(file, 4, at: 0) == "ab")
        #expect(failure { _ = try read(file, 4, at: 2) } == .cannotReadFile)
    }

    @Test func aFileThatIsNotThereIsAnError() {
        let error = #expect(throws: NetworkingError.self) { try UploadFile(path: folder.path("none")) }
        #expect(error?.code == .cannotReadFile)
        #expect((error?.underlying as? POSIXError)?.code == .ENOENT)
    }

    @Test func aFolderIsRefused() {
        #expect(failure { _ = try UploadFile(path: folder.url.path) } == .cannotReadFile)
    }

    @Test func aPipeIsRefusedWithoutWaitingForItsWriter() {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(failure { _ = try UploadFile(path: folder.path("pipe")) } == .cannotReadFile)
    }

    @Test func aDeviceIsRefused() {
        #expect(failure { _ = try UploadFile(path: "/dev/zero") } == .cannotReadFile)
    }

    @Test func aSymbolicLinkToAFileIsFollowed() throws {
        try folder.write("abc", to: "file")
        try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("file"))
        #expect(try read(UploadFile(path: folder.path("link")), 8, at: 0) == "abc")
    }

    /// Its size is 0, and what is read of it is not (proc(5)).
    @Test func fileOfProcIsSentAsItIsRead() throws {
        let file = try UploadFile(path: "/proc/self/comm")
        let text = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(!text.isEmpty && file.byteCount == Int64(text.utf8.count))
        #expect(try read(file, 100, at: 0) == text)
        #expect(try read(file, 100, at: 1) == String(text.dropFirst()))
        #expect(try read(file, 100, at: file.byteCount) == "")
    }

    /// Its size is that of a page (sysfs), and what is read of it is shorter.
    @Test func fileOfSysIsSentAsItIsRead() throws {
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
