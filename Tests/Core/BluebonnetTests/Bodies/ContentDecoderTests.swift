// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The encoded bodies were made with Python's zlib and gzip modules.
enum CodedBody {
    static let text = "Bluebonnet decodes what it receives, decodes, decodes."
    static let gzip = bytes(
        "1f8b080000000000020373ca294d4dcacfcb4b2d5148494dce4f492d5628cf482c51c82c51284a4d4ecd2c4b2dd681c9c0197a0068924d9336000000"
    )
    /// The compressed text with the name `note.txt` in its gzip header.
    static let named = bytes(
        "1f8b08080000000002ff6e6f74652e7478740073ca294d4dcacfcb4b2d5148494dce4f492d5628cf482c51c82c51284a4d4ecd2c4b2dd681c9c0"
            + "197a0068924d9336000000")
    static let zlib = bytes(
        "78da73ca294d4dcacfcb4b2d5148494dce4f492d5628cf482c51c82c51284a4d4ecd2c4b2dd681c9c0197a0029f613c1")
    static let raw = bytes(
        "73ca294d4dcacfcb4b2d5148494dce4f492d5628cf482c51c82c51284a4d4ecd2c4b2dd681c9c0197a00")
    /// zlib's format with a preset dictionary, which HTTP does not use.
    static let dictionary = bytes(
        "78f9158c040f7382b314525293f353528b15ca33124b14324b148a52935333cb528b75603270861e0029f613c1")
    static let gzipTwice = bytes(
        "1f8b080000000000020393efe660000126e6e2539abebea7ce9ff6d60df4f0f43de7efa91ba671de4327f0844ea08697afdf591d6fdd6b8d270f"
            + "485631644cf29d6c06d403006e7048733c000000")
    static let gzipOfZlib = bytes(
        "1f8b0800000000000203abb8557c4ad3d7f7d4f9d3deba811e9ebee7fc3d75c334ce7be8049ed009d4f0f2f53babe3ad7badf1e401c92a06cd6f"
            + "c20701a32a247030000000")
    static let gzipFiveTimes = bytes(
        "1f8b080000000000020393efe66000012666c62486b9ffe5e1dcc9ef9f253030aa3d3bf97ebeaa81c12adb6a119becfbfb9e3e7f56bffbd8efa7"
            + "87c56f3f7f1feea5afbde7f99a7f0b8fe63bdefef2f5bb72eae7f769df577dae6e915cf6a366d6ecc365ad3315d71f587c832d838be1cf32a6683f"
            + "a0c925b557fc928034000959b4b079000000")
    /// 64 KiB of zeros in 96 bytes: 683 to 1.
    static let zeros = bytes(
        "1f8b0800000000000203edc101010000008090feafee080a" + String(repeating: "0", count: 126) + "6aeb8e97d700000100")
    static let empty = bytes("1f8b080000000000020303000000000000000000")

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}

@Suite struct ContentDecoderTests {
    private func decode(
        _ codings: [String], _ pieces: [[UInt8]], limits: ContentDecoder.Limits = .init(), isDeclaredEmpty: Bool = false
    ) throws -> String {
        var result: [UInt8] = []
        let decoder = try ContentDecoder(codings: codings, limits: limits)
        for piece in pieces {
            try piece.withUnsafeBytes { try decoder.decode($0) { result += $0 } }
        }
        try decoder.finish(isDeclaredEmpty: isDeclaredEmpty)
        #expect(decoder.decodedByteCount == Int64(result.count))
        #expect(decoder.receivedByteCount == Int64(pieces.joined().count))
        return String(decoding: result, as: UTF8.self)
    }

    private func code(_ codings: [String], _ body: [UInt8], limits: ContentDecoder.Limits = .init()) -> NetworkingError
        .Code?
    {
        #expect(throws: NetworkingError.self) { try decode(codings, [body], limits: limits) }?.code
    }

    private static let bodies: [([String], [UInt8])] = [
        (["gzip"], CodedBody.gzip), (["x-gzip"], CodedBody.gzip), (["gzip"], CodedBody.named),
        (["deflate"], CodedBody.zlib),
        (["deflate"], CodedBody.raw), ([], Array(CodedBody.text.utf8)),
        (["gzip", "gzip"], CodedBody.gzipTwice), (["deflate", "gzip"], CodedBody.gzipOfZlib),
        (Array(repeating: "gzip", count: 5), CodedBody.gzipFiveTimes),
    ]

    // MARK: - Decoding

    @Test(arguments: bodies)
    func eachCodingIsDecoded(codings: [String], body: [UInt8]) throws {
        #expect(try decode(codings, [body]) == CodedBody.text)
    }

    @Test(arguments: bodies)
    func bodyIsDecodedForEverySplit(codings: [String], body: [UInt8]) throws {
        #expect(try decode(codings, body.map { [$0] }) == CodedBody.text)
        for cut in body.indices {
            #expect(try decode(codings, [Array(body[..<cut]), [], Array(body[cut...])]) == CodedBody.text)
        }
    }

    @Test func consecutiveGzipMembersAreDecoded() throws {
        let members = CodedBody.gzip + CodedBody.empty + CodedBody.named
        #expect(try decode(["gzip"], [members]) == CodedBody.text + CodedBody.text)
        #expect(try decode(["gzip"], members.map { [$0] }) == CodedBody.text + CodedBody.text)
        #expect(try decode(["gzip"], [CodedBody.empty]) == "")
    }

    @Test(arguments: [1, 512, 10_000]) func zerosAfterAGzipMemberArePadding(count: Int) throws {
        let padded = CodedBody.gzip + [UInt8](repeating: 0, count: count)
        #expect(try decode(["gzip"], [padded]) == CodedBody.text)
        #expect(try decode(["gzip"], padded.map { [$0] }) == CodedBody.text)
        #expect(try decode(["gzip"], [padded + CodedBody.gzip]) == CodedBody.text + CodedBody.text)
        #expect(code(["gzip"], padded + [1, 0]) == .cannotDecodeBody)
        #expect(code(["deflate"], CodedBody.zlib + [0]) == .cannotDecodeBody)
    }

    @Test func piecesAreSmallAndComplete() throws {
        for (codings, body) in [
            (["gzip"], Array(repeating: CodedBody.zeros, count: 3).flatMap { $0 }),
            ([], [UInt8](repeating: 0, count: 196_608)),
        ] {
            var counts: [Int] = []
            let decoder = try ContentDecoder(codings: codings)
            try body.withUnsafeBytes { try decoder.decode($0) { counts.append($0.count) } }
            try decoder.finish()
            #expect(counts.allSatisfy { $0 <= 65_536 })
            #expect(counts.reduce(0, +) == 196_608)
        }
    }

    // MARK: - Refusals

    @Test(arguments: ["br", "zstd", "compress", "", "gzipx"])
    func unknownCodingIsNamedInTheError(coding: String) {
        let error = #expect(throws: NetworkingError.self) { try ContentDecoder(codings: ["gzip", coding]) }
        #expect(error?.code == .cannotDecodeBody)
        #expect(error?.message.hasSuffix("content coding \(coding)") == true)
    }

    @Test func moreThanFiveCodingsAreRefused() {
        let error = #expect(throws: NetworkingError.self) {
            try ContentDecoder(codings: Array(repeating: "gzip", count: 6))
        }
        #expect(error?.code == .cannotDecodeBody)
    }

    @Test(arguments: bodies.filter { !$0.0.isEmpty })
    func truncatedBodyIsRefusedAtEveryByte(codings: [String], body: [UInt8]) {
        for cut in body.indices {
            let error = #expect(throws: NetworkingError.self) { try decode(codings, [Array(body[..<cut])]) }
            #expect(error?.code == .cannotDecodeBody)
            #expect(error?.message.contains("is truncated") == true, "cut at \(cut)")
        }
    }

    @Test(arguments: bodies.filter { !$0.0.isEmpty })
    func damagedBodyNeverDecodesToOtherText(codings: [String], body: [UInt8]) {
        for index in body.indices {
            var damaged = body
            damaged[index] ^= 0x10
            let result = try? decode(codings, [damaged])
            // Header fields such as the time have no checksum; raw deflate has no checksum at all.
            if body != CodedBody.raw { #expect(result == nil || result == CodedBody.text, "byte \(index)") }
        }
    }

    @Test func checksumAndLengthAreCompared() {
        for index in CodedBody.gzip.count - 8..<CodedBody.gzip.count {
            var damaged = CodedBody.gzip
            damaged[index] ^= 1
            #expect(code(["gzip"], damaged) == .cannotDecodeBody)
        }
    }

    @Test(arguments: [(["gzip"], CodedBody.gzip), (["deflate"], CodedBody.zlib), (["deflate"], CodedBody.raw)])
    func bytesAfterTheEndAreRefused(codings: [String], body: [UInt8]) {
        let zeros: [[UInt8]] = codings == ["gzip"] ? [] : [[0], [UInt8](repeating: 0, count: 512)]
        for junk in zeros + [Array("junk".utf8), [0x1F], [0x1F, 0x8B]] {
            #expect(code(codings, body + junk) == .cannotDecodeBody)
        }
        let error = #expect(throws: NetworkingError.self) { try decode(codings, [body, Array("junk".utf8)]) }
        #expect(error?.message.contains("has data after its end") == true)
    }

    @Test func bytesOfAnotherFormatAreRefused() {
        #expect(code(["gzip"], CodedBody.zlib) == .cannotDecodeBody)
        #expect(code(["gzip"], Array(CodedBody.text.utf8)) == .cannotDecodeBody)
        #expect(code(["deflate"], CodedBody.gzip) == .cannotDecodeBody)
        #expect(code(["deflate"], CodedBody.dictionary) == .cannotDecodeBody)
    }

    @Test func zlibErrorCodeIsKept() {
        let error = #expect(throws: NetworkingError.self) { try decode(["gzip"], [Array("not gzip".utf8)]) }
        #expect((error?.underlying as? LibraryError)?.library == "zlib")
        #expect((error?.underlying as? LibraryError)?.code == -3)
    }

    @Test func emptyBodyIsCompleteOnlyWhenDeclaredEmpty() throws {
        #expect(code(["gzip"], []) == .cannotDecodeBody)
        #expect(try decode(["gzip"], [], isDeclaredEmpty: true) == "")
        #expect(try decode([], []) == "")
        #expect(throws: NetworkingError.self) { try decode(["gzip"], [[0x1F]], isDeclaredEmpty: true) }
    }
}
