// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The bytes of event streams: invalid UTF-8, limits, and long streams in short slices.
@Suite struct EventStreamBytesTests {
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// The number of replacement characters follows the Encoding Standard: one for each longest valid start of a
    /// character, and for each other byte.
    @Test(
        arguments: [
            ([0xFF], 1), ([0x80], 1), ([0xC3], 1), ([0xC0, 0xAF], 2), ([0xE2, 0x82], 1), ([0xF0, 0x9F, 0x98], 1),
            ([0xF0, 0x80, 0x80], 3), ([0xED, 0xA0, 0x80], 3), ([0xF4, 0x90, 0x80, 0x80], 4), ([0xF5, 0x80], 2),
        ] as [([UInt8], Int)])
    func invalidUTF8IsReplaced(bytes: [UInt8], count: Int) {
        let stream =
            Array("id: ".utf8) + bytes + Array("\nevent: a".utf8) + bytes + Array("b\ndata: ".utf8) + bytes
            + Array("\ndata: c\n\n".utf8)
        let replaced = Array(repeatElement(Self.replacement, count: count).joined())
        for byteCount in 1...stream.count {
            let event = EventStreamReading(stream, sliceByteCount: byteCount).events.first
            #expect(event.map { Array($0.id.utf8) } == replaced)
            #expect(event.map { Array($0.event.utf8) } == [0x61] + replaced + [0x62])
            #expect(event.map { Array($0.data.utf8) } == replaced + [0x0A, 0x63])
        }
    }

    @Test func charactersMayBeSplit() {
        let stream = Array("data: aé€😀e\u{301}\n\n".utf8)
        for byteCount in 1...stream.count {
            let data = EventStreamReading(stream, sliceByteCount: byteCount).events.map(\.data)
            #expect(data.map { Array($0.utf8) } == [Array("aé€😀e\u{301}".utf8)])
        }
    }

    @Test func halfAByteOrderMarkIsNotOne() {
        let stream: [UInt8] = [0xEF, 0xBB] + Array("data: a\n\ndata: b\n\n".utf8)
        #expect(EventStreamReading(stream).events.map(\.data) == ["b"])
    }

    // MARK: - Limits

    @Test(
        arguments: [
            ("data: 7890\n\n", nil), ("data: 78901\n\n", "event 1: a line has more than 10 bytes"),
            ("data: 78901", "event 1: a line has more than 10 bytes"), (":234567890\n", nil),
            (":2345678901\n", "event 1: a line has more than 10 bytes"),
            ("data: a\n\nid: 5678901\n\n", "event 2: a line has more than 10 bytes"),
            ("data:67890\ndata:6789\n\n", nil), ("data:67890\ndata:6789\n", nil),
            ("data:67890\ndata:67890\n", "event 1: the data has more than 10 bytes"),
            ("data: a\n\ndata:67890\ndata\ndata:6789\n\n", "event 2: the data has more than 10 bytes"),
        ] as [(String, String?)])
    func limitsAreErrors(stream: String, error: String?) {
        let bytes = Array(stream.utf8)
        let whole = EventStreamReading(bytes, byteLimit: 10)
        #expect(whole.error?.description == error)
        for byteCount in 1...bytes.count {
            #expect(EventStreamReading(bytes, sliceByteCount: byteCount, byteLimit: 10) == whole)
        }
    }

    @Test func eventsBeforeAnErrorAreReturned() throws {
        var decoder = EventStreamDecoder(byteLimit: 10)
        decoder.append("data: a\n\ndata: 8901234\n\ndata: c\n\n".utf8)
        #expect(try decoder.next() == .event(ServerSentEvent(data: "a")))
        let expected = StreamItemError(item: "event", number: 2, reason: "a line has more than 10 bytes")
        for _ in 1...2 { #expect(throws: expected) { try decoder.next() } }
    }

    @Test func usualLimitIsSixteenMebibytes() {
        #expect(EventStreamDecoder.usualByteLimit == 16 << 20)
    }

    // MARK: - Memory

    @Test func consumedBytesAreReleased() {
        var pending = PendingBytes()
        for _ in 1...1_000 {
            pending.append(repeatElement(1, count: 1_000))
            pending.consume(upTo: pending.bytes.count - 10)
        }
        #expect(pending.bytes.count < 20_000)
        pending.consume(upTo: pending.bytes.count)
        pending.append(repeatElement(1, count: 100_000))
        pending.consume(upTo: pending.bytes.count)
        pending.markSearched()
        #expect(pending.bytes.capacity == 0)
    }

    @Test func unreadBytesStayWhenOthersAreConsumed() {
        var (pending, read) = (PendingBytes(), [UInt8]())
        for slice in (0..<10_000).map({ UInt8(truncatingIfNeeded: $0) }).slices(of: 7) {
            pending.append(slice)
            let end = pending.start + pending.count / 2
            read += pending.bytes[pending.start..<end]
            pending.consume(upTo: end)
        }
        read += pending.bytes[pending.start...]
        #expect(read == (0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func lineEndIsFoundAtEveryPlace() {
        for offset in [0, 1, 254, 255, 256, 257, 767, 768, 769, 5_000] {
            for end: [UInt8] in [[0x0A], [0x0D], [0x0D, 0x0A], [0x0A, 0x0D]] {
                let bytes = [UInt8](repeating: 0x61, count: offset) + end + [UInt8](repeating: 0x0A, count: 300)
                #expect(bytes.withUnsafeBufferPointer { $0.offsetOfLineEnd(from: 0) } == offset)
                #expect(bytes.withUnsafeBufferPointer { $0.offsetOfLineEnd(from: offset / 2) } == offset)
            }
        }
        #expect([UInt8](repeating: 0, count: 2_000).withUnsafeBufferPointer { $0.offsetOfLineEnd(from: 0) } == nil)
    }
}
