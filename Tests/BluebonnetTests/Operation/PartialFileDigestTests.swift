// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// The digest that follows what is written is the digest of what is there, whatever happened in between.
@Suite(.timeLimit(.minutes(1))) struct PartialFileDigestTests {
    private static let body = Data.patterned(byteCount: 9_000_001)
    private let folder: ScratchFolder
    private let url: URL

    init() throws {
        folder = try ScratchFolder()
        url = try #require(URL(string: "http://h/file"))
    }

    private func open(isDigested: Bool = true) throws -> PartialFile {
        try PartialFile(destination: folder.path("out"), url: url, isDigested: isDigested)
    }

    /// As a transfer writes it: in pieces.
    private func write(_ data: Data, to sink: FileSink) throws {
        var rest = data
        while !rest.isEmpty {
            try rest.prefix(100_000).withUnsafeBytes { try sink.write($0) }
            rest = rest.dropFirst(100_000)
        }
    }

    @Test(arguments: [true, false]) func whatWasWrittenInPieces(isDigested: Bool) throws {
        let file = try open(isDigested: isDigested)
        try write(Self.body, to: FileSink(file))
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func nothing() throws {
        // FIPS 180-2's function of no bytes.
        #expect(try open().digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func whatWasWrittenAfterAnEarlierBodyWasThrownAway() throws {
        let file = try open()
        let sink = FileSink(file)
        try write(Data(repeating: 7, count: 6_000_000), to: sink)
        try sink.truncate()
        try write(Self.body, to: sink)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func aBodyThatWasContinued() throws {
        let record = PartialRecord(
            requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: Int64(Self.body.count))
        let first = try open()
        try first.setRecord(record)
        try write(Self.body.prefix(5_000_000), to: FileSink(first))
        first.keepOrRemove(canContinue: true)
        first.unlock()
        let second = try open()
        #expect(second.initialByteCount == 5_000_000)
        try write(Self.body.dropFirst(5_000_000), to: FileSink(second))
        #expect(try second.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func askingTwiceGivesTheSame() throws {
        let file = try open()
        try write(Self.body, to: FileSink(file))
        #expect(try file.digest() == file.digest())
    }
}
