// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct MultipartBodyStreamTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func form(_ build: (inout MultipartFormData) throws -> Void) rethrows -> MultipartFormData {
        var form = MultipartFormData()
        try build(&form)
        return form
    }

    private func read(_ stream: InputStream, pieces: Int = 4096) throws -> Data {
        try MultipartFormDataTests.read(stream, pieces: pieces)
    }

    /// The error of reading a form that changed after it was made.
    private func error(_ form: MultipartFormData) -> NetworkingError? {
        #expect(throws: NetworkingError.self) { try read(form.makeStream()) }
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func bytesAreTheSameForEveryReadSize(pieces: Int) throws {
        try Data.patterned(byteCount: 500).write(to: folder.file("noise"))
        let form = try form { form in
            try form.append("value", name: "field")
            try form.append(fileAt: folder.file("noise"), name: "file")
            try form.append(byteCount: 3, name: "stream", fileName: "s") { InputStream(data: Data("abc".utf8)) }
        }
        let whole = try read(form.makeStream(), pieces: 1 << 20)
        #expect(try read(form.makeStream(), pieces: pieces) == whole)
        #expect(Int64(whole.count) == form.byteCount)
    }

    @Test func missingFileIsNamed() throws {
        try folder.write("content", to: "file")
        let form = try form { try $0.append(fileAt: folder.file("file"), name: "a") }
        unlink(folder.path("file"))
        let error = error(form)
        #expect(error?.code == .cannotReadFile)
        #expect(error?.message.contains(folder.path("file")) == true)
    }

    @Test(arguments: [0, 3, 9, 100])
    func fileOfAnotherSizeIsNamed(size: Int) throws {
        try folder.write("content", to: "file")
        let form = try form { try $0.append(fileAt: folder.file("file"), name: "a") }
        #expect(truncate(folder.path("file"), size) == 0)
        let error = error(form)
        #expect(error?.code == .cannotReadFile)
        #expect(
            error?.message
                == "\(folder.path("file")) had 7 bytes when it was added to the form, but now has \(size) bytes")
    }

    @Test(arguments: [(1, "was truncated"), (5 << 20, "had 3145728 bytes")])
    func fileChangedWhileReadingIsNamed(size: Int, words: String) throws {
        try folder.write("", to: "file")
        #expect(truncate(folder.path("file"), 3 << 20) == 0)
        let stream = try form { try $0.append(fileAt: folder.file("file"), name: "a") }.makeStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        #expect(stream.read(&buffer, maxLength: buffer.count) == buffer.count)
        #expect(truncate(folder.path("file"), size) == 0)
        var count = 0
        repeat { count = stream.read(&buffer, maxLength: buffer.count) } while count > 0
        #expect(count == -1)
        #expect(stream.streamStatus == .error)
        let error = stream.streamError as? NetworkingError
        #expect(error?.code == .cannotReadFile)
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains(folder.path("file")) == true)
        #expect(stream.read(&buffer, maxLength: 1) == -1)
    }

    @Test(arguments: [(2, "more than the 2 bytes"), (4, "ended after 3 of 4 bytes")])
    func streamOfAnotherLengthIsNamedByItsPart(byteCount: Int64, words: String) throws {
        let form = try form {
            try $0.append(InputStream(data: Data("abc".utf8)), byteCount: byteCount, name: "part", fileName: "s")
        }
        let error = error(form)
        #expect(error?.code == .cannotReadFile)
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains("\"part\"") == true)
    }

    @Test func unopenableStreamIsAnError() throws {
        let missing = try #require(InputStream(fileAtPath: folder.path("missing")))
        let form = try form { try $0.append(missing, byteCount: 3, name: "part", fileName: "s") }
        #expect(error(form)?.message.contains("\"part\" failed") == true)
    }

    @Test func bodyOfDataAndFilesCanBeReplayed() throws {
        try folder.write("content", to: "file")
        let stream = try form { form in
            try form.append("value", name: "field")
            try form.append(fileAt: folder.file("file"), name: "file")
            try form.append(byteCount: 3, name: "made", fileName: "s") { InputStream(data: Data("abc".utf8)) }
        }.makeStream()
        let whole = try read(stream)
        #expect(try read(#require(stream.makeReplay())) == whole)
        #expect(try read(#require(stream.makeReplay())) == whole)
        #expect(try read(stream).isEmpty)
    }

    @Test func consumedStreamCannotBeReplayed() throws {
        let stream = try form { form in
            try form.append(InputStream(data: Data("abc".utf8)), byteCount: 3, name: "once", fileName: "s")
        }.makeStream()
        #expect(stream.makeReplay() != nil)
        _ = try read(stream)
        #expect(stream.makeReplay() == nil)
    }

    @Test func throttledReadIsNeverLargerThanAPacket() throws {
        var form = try form { try $0.append(Data(count: 1000), name: "a") }
        form.throttle(packetByteCount: 100, delay: .zero)
        let stream = form.makeStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var counts: [Int] = []
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count == 0 { break }
            counts.append(count)
        }
        #expect(counts.dropLast().allSatisfy { $0 == 100 })
        #expect(Int64(counts.reduce(0, +)) == form.byteCount)
        let replay = try #require(stream.makeReplay())
        replay.open()
        #expect(replay.read(&buffer, maxLength: buffer.count) == 100)
    }

    @Test func throttledReadPausesAfterEachPacket() throws {
        var form = try form { try $0.append(Data(count: 100), name: "a") }
        form.throttle(packetByteCount: 100, delay: .milliseconds(20))
        let packets = Double((form.byteCount + 99) / 100)
        let start = ContinuousClock.now
        _ = try read(form.makeStream())
        // A sleep may be longer than requested, never shorter.
        #expect(ContinuousClock.now - start >= .milliseconds(20) * packets)
    }

    @Test func unopenedStreamHasNoBytes() throws {
        let stream = try form { try $0.append("a", name: "b") }.makeStream()
        var byte: UInt8 = 0
        #expect(stream.streamStatus == .notOpen)
        #expect(stream.read(&byte, maxLength: 1) == 0)
        stream.open()
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&byte, maxLength: 1) == 1)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.read(&byte, maxLength: 1) == 0)
        #expect(stream.streamError == nil)
    }

    // MARK: - Writing to a file

    @Test func writtenFormReplacesTheFile() throws {
        try folder.write(String(repeating: "old", count: 10_000), to: "body")
        let form = try form { try $0.append(Data.patterned(byteCount: 200_000), name: "a") }
        try form.write(to: folder.file("body"))
        #expect(try Data(contentsOf: folder.file("body")) == read(form.makeStream()))
    }

    @Test func unwritableFileIsAnError() throws {
        let form = try form { try $0.append("a", name: "b") }
        let missing = #expect(throws: NetworkingError.self) { try form.write(to: folder.file("no/such/folder")) }
        #expect(missing?.code == .cannotOpenFile)
        let full = #expect(throws: NetworkingError.self) { try form.write(to: URL(fileURLWithPath: "/dev/full")) }
        #expect(full?.code == .cannotWriteFile)
    }

    @Test func missingPartLeavesNoFile() throws {
        try folder.write("content", to: "part")
        let form = try form { try $0.append(fileAt: folder.file("part"), name: "a") }
        unlink(folder.path("part"))
        let error = #expect(throws: NetworkingError.self) { try form.write(to: folder.file("body")) }
        #expect(error?.code == .cannotReadFile)
        #expect(folder.names.isEmpty)
    }

    @Test func requestBodyMovesToAFile() async throws {
        let url = try #require(URL(string: "http://h/"))
        let serializer = HTTPRequestSerializer()
        let request = try serializer.multipartRequest(url: url) { try $0.append("value", name: "field") }
        let moved = try await serializer.request(request, writingBodyTo: folder.file("body"))
        #expect(moved.httpBodyStream == nil)
        #expect(moved.allHTTPHeaderFields == request.allHTTPHeaderFields)
        // The given request can still be used.
        #expect(try Data(contentsOf: folder.file("body")) == read(#require(request.httpBodyStream)))
    }

    @Test func requestWithoutAStreamHasNothingToWrite() async throws {
        let request = URLRequest(url: try #require(URL(string: "http://h/")))
        let file = folder.file("body")
        let error = await #expect(throws: NetworkingError.self) {
            try await HTTPRequestSerializer().request(request, writingBodyTo: file)
        }
        #expect(error?.code == .invalidRequest)
    }
}
