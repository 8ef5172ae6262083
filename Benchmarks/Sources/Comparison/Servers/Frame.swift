// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// An HTTP/2 frame that a server sends (RFC 9113, 4.1).
package struct Frame: Sendable {
    /// The stream of a frame.
    package enum Stream: Sendable {
        case request
        case connection
        /// A stream that the server opens.
        case pushed
    }

    package let type: UInt8
    package let flags: UInt8
    package let stream: Stream
    package let payload: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, _ stream: Stream, _ payload: [UInt8]) {
        (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
    }

    /// Returns the encoded frame.
    package func encoded(requestStream: UInt32) -> [UInt8] {
        let number: UInt32 =
            switch stream {
            case .request: requestStream
            case .connection: 0
            case .pushed: 2
            }
        return Self.digits(payload.count, 3) + [type, flags] + Self.digits(Int(number), 4) + payload
    }

    /// Returns a number in `count` bytes, the most significant first.
    static func digits(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

extension Frame {
    /// Returns a header section in one frame. Each field is a literal that is not indexed (RFC 7541, 6.2.2).
    package static func headers(_ fields: [(String, String)], isLast: Bool = false, endsHead: Bool = true) -> Frame {
        let flags: UInt8 = (isLast ? 1 : 0) | (endsHead ? 4 : 0)
        return Frame(type: 1, flags: flags, .request, block(fields))
    }

    package static func continuation(_ fields: [(String, String)]) -> Frame {
        Frame(type: 9, .request, block(fields))
    }

    package static func data(_ text: String, isLast: Bool = false) -> Frame {
        Frame(type: 0, flags: isLast ? 1 : 0, .request, Array(text.utf8))
    }

    package static func reset(_ code: Int) -> Frame { Frame(type: 3, .request, digits(code, 4)) }

    /// Returns the GOAWAY of a connection that handled no request above `last`.
    package static func goAway(last: Int, code: Int) -> Frame {
        Frame(type: 7, .connection, digits(last, 4) + digits(code, 4))
    }

    package static func settings(_ settings: [UInt16: UInt32] = [:]) -> Frame {
        let items = settings.sorted { $0.key < $1.key }.flatMap { digits(Int($0.key), 2) + digits(Int($0.value), 4) }
        return Frame(type: 4, .connection, items)
    }

    package static let ping = Frame(type: 6, .connection, Array("bluebell".utf8))

    /// A push promise for a response that was not requested.
    package static let promise = Frame(type: 5, flags: 4, .request, digits(2, 4) + block([(":path", "/pushed")]))

    private static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + string($0.0) + string($0.1) }
    }

    /// Returns a string in HPACK without Huffman coding (RFC 7541, 5.1 and 5.2).
    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
