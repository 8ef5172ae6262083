// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison

/// Finds requests in the frames of an HTTP/2 connection, without parsing their fields. Pure.
package struct FrameReader {
    package enum Event {
        /// A complete request on a stream.
        case request(stream: UInt32)
        /// Bytes to send: an acknowledgement.
        case answer([UInt8])
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var buffer: [UInt8] = []
    private var isPrefaceRead = false
    /// The streams whose request ends with the header section, when that is complete.
    private var ending: Set<UInt32> = []

    package init() {}

    /// Reads bytes that have arrived. Returns the events.
    package mutating func read(_ bytes: [UInt8]) -> [Event] {
        buffer += bytes
        if !isPrefaceRead {
            guard buffer.count >= Self.preface.count else { return [] }
            buffer.removeFirst(Self.preface.count)
            isPrefaceRead = true
        }
        var events: [Event] = []
        while buffer.count >= 9 {
            let length = Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2])
            guard buffer.count >= 9 + length else { break }
            let stream = buffer[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            if let event = event(type: buffer[3], flags: buffer[4], stream, Array(buffer[9..<9 + length])) {
                events.append(event)
            }
            buffer.removeFirst(9 + length)
        }
        return events
    }

    private mutating func event(type: UInt8, flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> Event? {
        let (isLast, endsHead) = (flags & 1 != 0, flags & 4 != 0)
        switch type {
        case 0: return isLast ? .request(stream: stream) : nil
        case 1:
            if isLast, endsHead { return .request(stream: stream) }
            if isLast { ending.insert(stream) }
            return nil
        case 9: return endsHead && ending.remove(stream) != nil ? .request(stream: stream) : nil
        case 4 where !isLast: return .answer(Frame(type: 4, flags: 1, .connection, []).encoded(requestStream: 0))
        case 6 where !isLast: return .answer(Frame(type: 6, flags: 1, .connection, payload).encoded(requestStream: 0))
        default: return nil
        }
    }
}
