// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct BodyAllowanceTests {
    private static let start: UInt64 = 5_000_000_000
    private static let millisecond: UInt64 = 1_000_000

    private static func head(
        _ fields: [(name: String, value: String)], status: Int = 302, version: String = "1.1"
    ) throws -> ResponseHead {
        let url = try #require(URL(string: "http://h/"))
        return ResponseHead(url: url, statusCode: status, httpVersion: version, headers: HeaderFields(fields))
    }

    /// A head, and how many milliseconds its body is read so that the connection can be kept.
    struct Row: Sendable, CustomTestStringConvertible {
        let version: String
        let field: String
        let method: String
        let milliseconds: UInt64
        var status = 302

        init(_ version: String, _ field: String, _ method: String = "GET", status: Int = 302, reads time: UInt64) {
            (self.version, self.field, self.method) = (version, field, method)
            (self.milliseconds, self.status) = (time, status)
        }

        var testDescription: String { "HTTP/\(version) \(method) \(status) \(field)" }

        var fields: [(name: String, value: String)] {
            field.split(separator: ";").map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
            }
        }
    }

    @Test(arguments: [
        Row("1.1", "Content-Length: 0", reads: 250), Row("1.1", "Content-Length: 1", reads: 250),
        Row("1.1", "Content-Length: 65536", reads: 250), Row("1.1", "Content-Length: 65537", reads: 0),
        Row("1.1", "Content-Length: 9223372036854775807", reads: 0),
        Row("1.1", "Transfer-Encoding: chunked", reads: 250),
        // The end of the connection ends the body, so the connection is not kept whatever is read.
        Row("1.1", "", reads: 0), Row("1.0", "", reads: 0), Row("1.0", "Connection: keep-alive", reads: 0),
        Row("1.1", "Transfer-Encoding: gzip", reads: 0),
        Row("1.1", "Content-Length: 5;Connection: close", reads: 0),
        Row("1.1", "Content-Length: 5;Connection: x, Close", reads: 0),
        Row("1.1", "Transfer-Encoding: chunked;Connection: close", reads: 0), Row("1.0", "Content-Length: 5", reads: 0),
        Row("1.0", "Content-Length: 5;Connection: keep-alive", reads: 250),
        // A stream ends by itself, and its connection continues without it.
        Row("2", "", reads: 250), Row("2", "Content-Length: 5", reads: 250),
        Row("2", "Content-Length: 65537", reads: 0),
        Row("3", "", reads: 250),
        // There is no body.
        Row("1.1", "", "HEAD", reads: 250), Row("1.1", "Content-Length: 65537", "HEAD", reads: 250),
        Row("1.1", "Content-Length: 65537", status: 304, reads: 250),
        Row("1.1", "", status: 304, reads: 250),
        Row("1.1", "Connection: close", "HEAD", reads: 0),
    ])
    func headDecidesHowLongTheBodyIsRead(row: Row) throws {
        let head = try Self.head(row.fields, status: row.status, version: row.version)
        let allowance = BodyAllowance(.connection, head, method: row.method, now: Self.start)
        #expect(allowance.end == Self.start + row.milliseconds * Self.millisecond)
        #expect(!allowance.isUsedUp)
    }

    @Test(arguments: [(0, false), (1, false), (65_535, false), (65_536, false), (65_537, true), (1 << 30, true)])
    func bytesAreReadForAConnectionUpToTheLimit(byteCount: Int, isUsedUp: Bool) throws {
        for pieceByteCount in [1 << 30, 65_536, 1000] {
            var allowance = BodyAllowance(.connection, length: nil, endsConnection: false, now: Self.start)
            var rest = byteCount
            while rest > 0 && !allowance.isUsedUp {
                allowance.receive(min(rest, pieceByteCount), now: Self.start + Self.millisecond)
                rest -= min(rest, pieceByteCount)
            }
            #expect(allowance.isUsedUp == isUsedUp)
            #expect(allowance.end == Self.start + 250 * Self.millisecond)  // no byte extends the time
        }
    }

    /// The pieces of a refused response's body, each `pause` milliseconds after the previous one, and the time at
    /// which the body is given up.
    struct Arrival: Sendable {
        let pieces: [(byteCount: Int, pause: UInt64)]
        let end: UInt64

        init(pieces: [(byteCount: Int, pause: UInt64)], end: UInt64) { (self.pieces, self.end) = (pieces, end) }

        /// A burst at once, then `byteCount` bytes at a constant interval.
        init(burst: Int = 0, _ byteCount: Int, every pause: UInt64, count: Int, end: UInt64) {
            let rest = Array(repeating: (byteCount: byteCount, pause: pause), count: count)
            self.init(pieces: burst > 0 ? [(burst, 0)] + rest : rest, end: end)
        }
    }

    private static let arrivals = [
        // Silence: one second.
        Arrival(pieces: [], end: 1000), Arrival(pieces: [(1024, 0)], end: 1000),
        Arrival(pieces: [(1 << 20, 100)], end: 1100),
        // An occasional byte: less than a millisecond for each.
        Arrival(pieces: [(1, 500)], end: 1000), Arrival(pieces: [(1, 500), (1, 400)], end: 1001),
        Arrival(pieces: [(100, 500), (100, 500)], end: 1195),
        // 1 KiB a second, and a little more.
        Arrival(pieces: [(512, 500), (512, 500)], end: 1999),
        Arrival(pieces: [(1024, 999), (1024, 999), (1024, 999)], end: 3997),
        // Bytes that came at once make up for one second.
        Arrival(pieces: [(1 << 20, 900), (1, 900)], end: 1900),
        Arrival(pieces: [(1 << 30, 0), (1, 500), (1, 499)], end: 1001),
        Arrival(pieces: [(1 << 20, 900), (1 << 20, 900), (1, 900)], end: 2800),
        Arrival(burst: 1 << 20, 512, every: 500, count: 4, end: 2999),
        Arrival(burst: 1 << 20, 256, every: 490, count: 3, end: 1749),
        // Ten seconds in total.
        Arrival(1024, every: 900, count: 9, end: 9100), Arrival(1024, every: 900, count: 10, end: 10_000),
        Arrival(256, every: 125, count: 80, end: 10_000), Arrival(1 << 20, every: 100, count: 95, end: 10_000),
    ]

    @Test(arguments: arrivals) func silentOrSlowErrorBodyIsGivenUp(arrival: Arrival) {
        var allowance = BodyAllowance(.error, length: nil, endsConnection: true, now: Self.start)
        var now = Self.start
        for (byteCount, pause) in arrival.pieces {
            now += pause * Self.millisecond
            #expect(now <= allowance.end)
            allowance.receive(byteCount, now: now)
            #expect(!allowance.isUsedUp)
        }
        #expect((allowance.end - Self.start) / Self.millisecond == arrival.end)
    }

    /// The head of an error does not change how long its body is awaited.
    @Test func framingOfAnErrorBodyDoesNotMatter() throws {
        let length = (name: "Content-Length", value: "1073741824")
        let close = (name: "Connection", value: "close")
        for fields in [[], [length], [close], [length, close]] {
            let head = try Self.head(fields, status: 404)
            #expect(BodyAllowance(.error, head, method: "GET", now: Self.start).end == Self.start + 1_000_000_000)
        }
    }

    @Test func pauseDoesNotCountAgainstTheBody() {
        let later = Self.start + 3_600_000_000_000
        var connection = BodyAllowance(.connection, length: 5, endsConnection: false, now: Self.start)
        connection.beginAgain(now: later)
        #expect(connection.end == later + 250 * Self.millisecond)
        var error = BodyAllowance(.error, length: nil, endsConnection: false, now: Self.start)
        error.receive(1, now: Self.start)
        error.beginAgain(now: later)
        #expect(error.end == later + 1000 * Self.millisecond)
    }

    @Test func bytesBeforeAPauseEarnNoTimeAfterIt() {
        let later = Self.start + 3_600_000_000_000
        var allowance = BodyAllowance(.error, length: nil, endsConnection: false, now: Self.start)
        allowance.receive(1 << 20, now: Self.start)
        allowance.beginAgain(now: later)
        #expect(allowance.end == later + 1000 * Self.millisecond)
        allowance.receive(1, now: later + 500 * Self.millisecond)
        #expect((allowance.end - later) / Self.millisecond == 1000)
        for number: UInt64 in 1...100 { allowance.receive(1 << 20, now: later + number * 500 * Self.millisecond) }
        #expect(allowance.end == later + 10_000 * Self.millisecond)
    }

    @Test func bytesBeforeAPauseCountTowardsTheByteLimit() {
        var allowance = BodyAllowance(.connection, length: nil, endsConnection: false, now: Self.start)
        allowance.receive(65_000, now: Self.start)
        allowance.beginAgain(now: Self.start + 3_600_000_000_000)
        allowance.receive(537, now: Self.start + 3_600_000_000_000)
        #expect(allowance.isUsedUp)
    }

    /// The coarse clock is a few milliseconds behind the clock that timed the head.
    @Test func laggingClockDoesNotShortenTheTime() {
        var allowance = BodyAllowance(.error, length: nil, endsConnection: false, now: Self.start)
        allowance.receive(1 << 20, now: Self.start - 4 * Self.millisecond)
        #expect(allowance.end == Self.start + 1000 * Self.millisecond)
    }
}
