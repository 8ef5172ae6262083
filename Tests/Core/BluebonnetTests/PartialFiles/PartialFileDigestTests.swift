// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The digest computed while writing is the digest of the file, whatever happened in between.
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

    /// Writes as a transfer does: in pieces, each body in place of the previous one.
    private func write(_ bodies: Data..., to file: PartialFile) async throws {
        try await onNetworkThread {
            let sink = FileSink(file)
            for (number, body) in bodies.enumerated() {
                if number > 0 { sink.startOver() }
                try sink.write(body, inPiecesOf: 100_000)
            }
            sink.settle()
        }
        await withCheckedContinuation { waiter in file.queue.async { waiter.resume() } }
    }

    @Test(arguments: [true, false]) func digestCoversABodyWrittenInPieces(isDigested: Bool) async throws {
        let file = try open(isDigested: isDigested)
        try await write(Self.body, to: file)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func emptyFileHasTheDigestOfNoBytes() throws {
        // SHA-256 of no bytes (FIPS 180-2).
        #expect(try open().digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func digestExcludesADiscardedBody() async throws {
        let file = try open()
        try await write(Data(repeating: 7, count: 6_000_000), Self.body, to: file)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func digestCoversAContinuedBody() async throws {
        let record = PartialRecord(
            requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: Int64(Self.body.count))
        let first = try open()
        try first.setRecord(record)
        try await write(Self.body.prefix(5_000_000), to: first)
        first.keepOrRemove(canContinue: true)
        first.unlock()
        let second = try open()
        #expect(second.initialByteCount == 5_000_000)
        try await write(Self.body.dropFirst(5_000_000), to: second)
        #expect(try second.digest() == MessageDigest.hexadecimalDigest(of: Self.body))
    }

    @Test func digestIsTheSameTwice() async throws {
        let file = try open()
        try await write(Self.body, to: file)
        #expect(try file.digest() == file.digest())
    }
}
