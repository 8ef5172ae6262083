// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ContentDecoderLimitTests {
    private struct SinkFailure: Error {}

    /// Decodes members of 64 KiB of zeros. Returns the number of decoded bytes and the error.
    private func decode(
        members: Int, codings: [String] = ["gzip"], limits: ContentDecoder.Limits
    ) throws -> (count: Int, error: NetworkingError?) {
        var count = 0
        let decoder = try ContentDecoder(codings: codings, limits: limits)
        do {
            for _ in 0..<members {
                try CodedBody.zeros.withUnsafeBytes { try decoder.decode($0) { count += $0.count } }
            }
            try decoder.finish()
        } catch let error as NetworkingError {
            #expect(decoder.decodedByteCount == Int64(count))
            return (count, error)
        }
        return (count, nil)
    }

    @Test func byteLimitIsExactAndNamed() throws {
        let fitting = try decode(members: 4, limits: .init(decodedByteCount: 262_144))
        #expect(fitting.error == nil)
        #expect(fitting.count == 262_144)
        let failing = try decode(members: 4, limits: .init(decodedByteCount: 262_143))
        #expect(failing.error?.code == .bodyTooLarge)
        #expect(failing.error?.message.contains("262143") == true)
        #expect(failing.count <= 262_143)
    }

    @Test func limitAppliesWithoutACoding() throws {
        let result = try decode(members: 2, codings: [], limits: .init(decodedByteCount: 100))
        #expect(result.error?.code == .bodyTooLarge)
        #expect(result.count == 96)
    }

    @Test func bodyMayExpandByAnyRatioUpToOneMebibyte() throws {
        let result = try decode(members: 16, limits: .init(expansionRatio: 1))
        #expect(result.error == nil)
        #expect(result.count == 1_048_576)
    }

    @Test func decompressionBombIsRefusedWithinOneMebibyte() throws {
        let result = try decode(members: 1_000, limits: .init())
        #expect(result.error?.code == .bodyTooLarge)
        #expect(result.error?.message.contains("500 to 1") == true)
        #expect(result.count <= 1_048_576)
    }

    @Test func ratioUnderOneCountsAsOne() throws {
        #expect(try decode(members: 17, limits: .init(expansionRatio: 0)).error?.code == .bodyTooLarge)
        #expect(try decode(members: 2, codings: [], limits: .init(expansionRatio: -5)).error == nil)
    }

    @Test func higherRatioCanBeAllowed() throws {
        let result = try decode(members: 32, limits: .init(expansionRatio: 683))
        #expect(result.error == nil)
        #expect(result.count == 2_097_152)
        #expect(try decode(members: 32, limits: .init(expansionRatio: 682)).error?.code == .bodyTooLarge)
        #expect(try decode(members: 32, limits: .init(expansionRatio: .max)).error == nil)
    }

    @Test func sinkErrorIsRethrownAndClosesTheDecoder() throws {
        let decoder = try ContentDecoder(codings: ["gzip"])
        #expect(throws: SinkFailure.self) {
            try CodedBody.gzip.withUnsafeBytes { try decoder.decode($0) { _ in throw SinkFailure() } }
        }
        #expect(decoder.decodedByteCount == 0)
        let error = #expect(throws: NetworkingError.self) {
            try CodedBody.gzip.withUnsafeBytes { try decoder.decode($0) { _ in } }
        }
        #expect(error?.code == .cannotDecodeBody)
    }

    @Test func decoderCanBeClosedAnytimeAndRepeatedly() throws {
        for count in [0, 1, 2, 30, CodedBody.gzip.count] {
            let decoder = try ContentDecoder(codings: ["gzip", "gzip"])
            try CodedBody.gzipTwice.prefix(count).withUnsafeBytes { try decoder.decode($0) { _ in } }
            decoder.close()
            decoder.close()
            #expect(decoder.receivedByteCount == Int64(count))
            let error = #expect(throws: NetworkingError.self) {
                try CodedBody.gzip.withUnsafeBytes { try decoder.decode($0) { _ in } }
            }
            #expect(error?.code == .cannotDecodeBody)
        }
    }
}
