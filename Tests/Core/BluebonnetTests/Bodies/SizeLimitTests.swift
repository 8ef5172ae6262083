// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CLinux
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct SizeLimitTests {
        private func answer(
            _ reply: Reply, _ options: TransferOptions = TransferOptions()
        ) async throws -> RequestOperation {
            try await TestServer.answering(reply) { server in await get(server.url(), options) }
        }

        /// Many lines in one chunk, so that an endless reply is a fast one.
        private func repeated(_ text: String) -> Data { Data(String(repeating: text, count: 1000).utf8) }

        @Test func bodyOfExactlyTheLimitIsAccepted() async throws {
            let options = TransferOptions { $0.maximumBodyByteCount = 1000 }
            let body = Data.patterned(byteCount: 1000)
            #expect(try await answer(.response(body: body), options).responseData == body)
            #expect(try await answer(.chunked(chunks: [body]), options).responseData == body)
        }

        @Test func bodyOverTheLimitIsTooLarge() async throws {
            let options = TransferOptions { $0.maximumBodyByteCount = 1000 }
            let body = Data(count: 1001)
            #expect(try await answer(.response(body: body), options).code == .bodyTooLarge)
            #expect(try await answer(.chunked(chunks: [body]), options).code == .bodyTooLarge)
        }

        @Test func limitCountsDecodedBytes() async throws {
            let reply = Reply.response(headers: ["Content-Encoding": "gzip"], body: Data(CodedBody.zeros))
            let fitting = TransferOptions { $0.maximumBodyByteCount = 65_536 }
            #expect(try await answer(reply, fitting).receivedByteCount == 65_536)
            let tight = TransferOptions { $0.maximumBodyByteCount = 65_535 }
            let operation = try await answer(reply, tight)
            #expect(operation.code == .bodyTooLarge)
            #expect(operation.receivedByteCount <= 65_535)
        }

        @Test func bodyThatExpandsTooFarIsTooLarge() async throws {
            let bomb = Data(repeatElement(CodedBody.zeros, count: 1000).joined())  // 62 MiB of zeros
            let operation = try await answer(.response(headers: ["Content-Encoding": "gzip"], body: bomb))
            #expect(operation.code == .bodyTooLarge)
            // The ratio is checked once per received piece, and a piece has at most 64 KiB.
            #expect(operation.receivedByteCount <= 500 * 65_536)
        }

        @Test func endlessBodyToMemoryIsStopped() async throws {
            let head = Data("HTTP/1.1 200 OK\r\n\r\n".utf8)
            let reply = Reply([.bytes(head), .endless(chunk: Data(count: 65_536))])
            let operation = try await answer(reply, TransferOptions { $0.maximumBodyByteCount = 4 * 1024 * 1024 })
            #expect(operation.code == .bodyTooLarge)
            #expect(operation.receivedByteCount <= 4 * 1024 * 1024)
        }

        @Test func headerSectionWithinTheLimitIsAccepted() async throws {
            let fields = (0..<200).map { ("X-\($0)", String(repeating: "a", count: 1000)) }
            let operation = try await answer(.response(headers: WireFields(fields), body: "hello"))
            #expect(operation.error == nil)
            #expect(operation.responseHeaders.count == 201)
        }

        @Test func headerSectionOverTheLimitIsTooLarge() async throws {
            let fields = (0..<300).map { ("X-\($0)", String(repeating: "a", count: 1000)) }
            let operation = try await answer(.response(headers: WireFields(fields), body: "hello"))
            #expect(operation.code == .headersTooLarge)
        }

        @Test(arguments: [110_000, 1_000_000])
        func headerLineLargerThanAnyBufferIsTooLarge(byteCount: Int) async throws {
            let fields: WireFields = ["X-Long": String(repeating: "a", count: byteCount)]
            #expect(try await answer(.response(headers: fields, body: "hello")).code == .headersTooLarge)
        }

        @Test func lowerHeaderLimitApplies() async throws {
            let options = TransferOptions { $0.maximumHeaderByteCount = 100 }
            let fields: WireFields = ["X-Long": String(repeating: "a", count: 100)]
            #expect(try await answer(.response(headers: fields), options).code == .headersTooLarge)
        }

        @Test func endlessInterimResponsesAreTooLarge() async throws {
            let interim = repeated("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            #expect(try await answer(Reply([.endless(chunk: interim)])).code == .headersTooLarge)
        }

        @Test func endlessTrailersAreTooLarge() async throws {
            let head = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n".utf8)
            let reply = Reply([.bytes(head), .endless(chunk: repeated("X-Trailer: 1\r\n"))])
            #expect(try await answer(reply).code == .headersTooLarge)
        }

        @Test func endlessHeadersAreTooLarge() async throws {
            let head = Data("HTTP/1.1 200 OK\r\n".utf8)
            let reply = Reply([.bytes(head), .endless(chunk: repeated("Set-Cookie: a=b\r\n"))])
            #expect(try await answer(reply).code == .headersTooLarge)
        }

        @Test func bodyOfTooManyCodingsCannotBeDecoded() async throws {
            let headers: WireFields = ["Content-Encoding": Array(repeating: "gzip", count: 6).joined(separator: ", ")]
            let operation = try await answer(.response(headers: headers, body: Data(CodedBody.gzip)))
            #expect(operation.code == .cannotDecodeBody)
        }
    }
}

/// A body in memory whose length the server announced.
@Suite struct MemorySinkTests {
    /// How much memory a body has reserved after its first bytes.
    private func reservedByteCount(announced byteCount: Int64) throws -> Int {
        let sink = MemorySink(byteLimit: .max)
        sink.reserve(byteCount)
        try Data(count: 32).withUnsafeBytes { try sink.write($0) }
        return sink.data.withUnsafeBytes { bytes in
            malloc_usable_size(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
    }

    @Test(arguments: [1 << 20, 1 << 26, 1 << 40, .max] as [Int64])
    func atMostOneMebibyteIsReservedForAnAnnouncedLength(byteCount: Int64) throws {
        #expect((1 << 20..<1 << 21).contains(try reservedByteCount(announced: byteCount)))
    }

    @Test func memoryForASmallAnnouncedLengthIsReservedAtOnce() throws {
        #expect((100_000..<200_000).contains(try reservedByteCount(announced: 100_000)))
    }
}
