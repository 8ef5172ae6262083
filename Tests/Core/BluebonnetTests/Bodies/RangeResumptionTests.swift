// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct RangeResumptionTests {
    typealias Decision = RangeResumption.Decision

    /// 100 of 300 bytes have arrived.
    private static let part = resumption(total: 300)
    /// 100 bytes of an unknown total have arrived.
    private static let open = resumption(total: nil)

    private static func resumption(offset: Int64 = 100, total: Int64?) -> RangeResumption {
        // SHA-256 of "http://h/".
        RangeResumption(
            offset: offset, validator: .entityTag("\"v1\""), totalByteCount: total,
            responseURLDigest: "ad8295a7a69d6f00bcbec158f753e9310e81a0ffc377dbe0d6d40de0b76d7142")
    }

    @Test func rangeRequestAsksForTheUncodedRest() {
        let headers = Self.part.headers.map { "\($0.name): \($0.value)" }
        #expect(headers == ["Range: bytes=100-", "If-Range: \"v1\"", "Accept-Encoding: identity"])
    }

    /// Each run of a request may be redirected to a URL with another signature.
    @Test(
        arguments: [
            ("http://h/f?sig=2", "bytes 100-299/300", .append), ("http://h/f", "bytes 100-299/300", .append),
            ("http://h/f?sig=2", "bytes 100-299/*", .askAgain), ("http://h/g?sig=2", "bytes 100-299/300", .askAgain),
            ("http://other/f?sig=2", "bytes 100-299/300", .askAgain),
        ] as [(String, String, Decision)])
    func bodyWithAnotherQueryIsContinuedByItsTag(url: String, range: String, decision: Decision) throws {
        func resumption(_ validator: StrongValidator) throws -> RangeResumption {
            let record = PartialRecord(
                requestURL: try #require(URL(string: "http://h/")),
                responseURL: try #require(URL(string: "http://h/f?sig=1")), validator: validator, totalByteCount: 300)
            return RangeResumption(record: record, offset: 100)
        }
        let date = "Tue, 01 Jan 2030 00:00:00 GMT"
        let head = ResponseHead(
            url: try #require(URL(string: url)), statusCode: 206,
            headers: ["Content-Range": range, "ETag": "\"v1\"", "Last-Modified": date])
        #expect(try resumption(.entityTag("\"v1\"")).decide(on: head) == decision)
        #expect(try resumption(.entityTag("\"v2\"")).decide(on: head) == .askAgain)
        #expect(try resumption(.lastModified(date)).decide(on: head) == .askAgain)
    }

    @Test func largestPossibleRangeIsAskedAgain() throws {
        let head = ResponseHead(
            url: try #require(URL(string: "http://h/")), statusCode: 206,
            headers: [
                "Content-Range": "bytes 0-9223372036854775807/*", "ETag": "\"v1\"",
                "Content-Length": "9223372036854775807",
            ])
        #expect(Self.resumption(offset: 0, total: .max).decide(on: head) == .askAgain)
    }

    @Test(
        arguments: [
            (part, 200, nil, nil, .startOver),
            (part, 200, "bytes 100-299/300", "\"v1\"", .startOver),
            (part, 206, "bytes 100-299/300", "\"v1\"", .append),
            (part, 206, "bytes 100-299/*", "\"v1\"", .append),
            (part, 206, "bytes 100-199/300", "\"v1\"", .append),
            (open, 206, "bytes 100-299/300", "\"v1\"", .append),
            (open, 206, "bytes 100-299/*", "\"v1\"", .askAgain),
            (part, 206, "bytes 100-299/300", nil, .askAgain),
            (open, 206, "bytes 100-299/300", nil, .askAgain),
            (part, 206, "bytes 100-299/300", "\"v2\"", .askAgain),
            (part, 206, "bytes 100-299/300", "W/\"v1\"", .askAgain),
            (part, 206, "bytes 99-299/300", "\"v1\"", .askAgain),
            (part, 206, "bytes 101-299/300", "\"v1\"", .askAgain),
            (part, 206, "bytes 0-299/300", "\"v1\"", .askAgain),
            (part, 206, "bytes 100-300/301", "\"v1\"", .askAgain),
            (part, 206, nil, "\"v1\"", .askAgain),
            (part, 206, "bytes 100-", "\"v1\"", .askAgain),
            (part, 206, "bytes */300", "\"v1\"", .askAgain),
            (part, 206, "items 100-299/300", "\"v1\"", .askAgain),
            (part, 416, "bytes */300", "\"v1\"", .askAgain),
            (part, 416, "bytes */100", "\"v1\"", .askAgain),
            (open, 416, "bytes */100", "\"v1\"", .isComplete),
            (open, 416, "bytes */100", nil, .askAgain),
            (open, 416, "bytes */100", "\"v2\"", .askAgain),
            (open, 416, "bytes */99", "\"v1\"", .askAgain),
            (open, 416, nil, "\"v1\"", .askAgain),
            (part, 404, nil, nil, .unrelated),
            (part, 500, "bytes 100-299/300", "\"v1\"", .unrelated),
            (part, 204, nil, nil, .unrelated),
            (part, 304, nil, "\"v1\"", .unrelated),
        ] as [(RangeResumption, Int, String?, String?, Decision)])
    func responseIsAcceptedOnlyWhereItFits(
        resumption: RangeResumption, status: Int, range: String?, etag: String?, decision: Decision
    ) throws {
        let head = try Self.head(status, ["Content-Range": range, "ETag": etag])
        #expect(resumption.decide(on: head) == decision)
    }

    @Test func completeBodyIsConfirmedByItsTotal() throws {
        let whole = Self.resumption(offset: 300, total: 300)
        let head = try Self.head(416, ["Content-Range": "bytes */300", "ETag": "\"v1\""])
        #expect(whole.decide(on: head) == .isComplete)
    }

    @Test func codedRestIsNotAccepted() throws {
        let head = try Self.head(
            206, ["Content-Range": "bytes 100-299/300", "ETag": "\"v1\"", "Content-Encoding": "gzip"])
        #expect(Self.part.decide(on: head) == .askAgain)
    }

    @Test(arguments: [("200", RangeResumption.Decision.append), ("199", .askAgain), ("201", .askAgain)])
    func restWhoseLengthDiffersFromItsRangeIsRefused(length: String, decision: RangeResumption.Decision) throws {
        let head = try Self.head(
            206, ["Content-Range": "bytes 100-299/300", "Content-Length": length, "ETag": "\"v1\""])
        #expect(Self.part.decide(on: head) == decision)
    }

    @Test func tagOfAnotherURLDoesNotMatch() throws {
        let fields = ["Content-Range": "bytes 100-299/300", "ETag": "\"v1\""]
        let elsewhere = try Self.head(206, fields, url: "http://h/other")
        #expect(Self.part.decide(on: elsewhere) == .askAgain)
        let complete = try Self.head(416, ["Content-Range": "bytes */100", "ETag": "\"v1\""], url: "http://h/other")
        #expect(Self.open.decide(on: complete) == .askAgain)
    }

    private static func head(_ status: Int, _ fields: [String: String?], url: String = "http://h/") throws
        -> ResponseHead
    {
        let url = try #require(URL(string: url))
        let present = fields.compactMap { field in field.value.map { (name: field.key, value: $0) } }
        return ResponseHead(url: url, statusCode: status, headers: HeaderFields(present))
    }
}
