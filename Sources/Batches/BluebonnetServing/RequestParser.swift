// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds requests in the bytes of a connection (RFC 9112). A value without a socket.
///
/// The parser is strict: lines end with CR LF, names of fields are tokens, and a request has no body. So there is one
/// way to read the bytes.
package struct RequestParser: Sendable {
    /// The next part of a connection's bytes.
    package enum Step: Sendable, Equatable {
        /// The head is not complete.
        case incomplete
        case request(ServedRequest)
        /// The request is refused. The parser returns the same step from now on.
        case refusal(RequestRefusal)
    }

    private let headLimit, fieldLimit: Int
    private var bytes: [UInt8] = []
    /// Up to here, no empty line was found.
    private var searched = 0
    /// Whether the empty line before the next request was removed.
    private var isLineRemoved = false
    private var refusal: RequestRefusal?

    /// - Parameters:
    ///   - headLimit: the maximum number of bytes of a head.
    ///   - fieldLimit: the maximum number of fields.
    package init(headLimit: Int = 8_192, fieldLimit: Int = 64) {
        (self.headLimit, self.fieldLimit) = (headLimit, fieldLimit)
    }

    /// Whether there are bytes of an incomplete request.
    package var hasBytes: Bool { !bytes.isEmpty }

    /// Adds bytes that were received.
    package mutating func append(_ received: some Sequence<UInt8>) {
        if refusal == nil { bytes.append(contentsOf: received) }
    }

    /// Removes the next request from the bytes.
    package mutating func next() -> Step {
        if let refusal { return .refusal(refusal) }
        // A server ignores an empty line before a request (RFC 9112, 2.2); one is enough.
        if !isLineRemoved, bytes.starts(with: [0x0D, 0x0A]) {
            bytes.removeFirst(2)
            isLineRemoved = true
        }
        guard let end = endOfHead() else {
            return bytes.count > headLimit ? refuse(.tooLarge) : .incomplete
        }
        guard end <= headLimit else { return refuse(.tooLarge) }
        let head = bytes[..<(end - 4)]
        do throws(RequestRefusal) {
            let request = try RequestHead(head, fieldLimit: fieldLimit).request()
            bytes.removeFirst(end)
            (searched, isLineRemoved) = (0, false)
            return .request(request)
        } catch {
            return refuse(error)
        }
    }

    private mutating func refuse(_ reason: RequestRefusal) -> Step {
        (refusal, bytes) = (reason, [])
        return .refusal(reason)
    }

    /// Returns the index after the empty line that ends the head; nil without one.
    private mutating func endOfHead() -> Int? {
        var index = max(0, searched - 3)
        while index + 4 <= min(bytes.count, headLimit + 4) {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 3] == 0x0A {
                return index + 4
            }
            index += 1
        }
        searched = bytes.count
        return nil
    }
}

/// The lines of a head.
private struct RequestHead {
    private let start: ArraySlice<UInt8>
    private var fields: [(name: String, value: String)] = []

    init(_ head: ArraySlice<UInt8>, fieldLimit: Int) throws(RequestRefusal) {
        var lines = try Self.lines(head)
        start = lines.removeFirst()
        guard lines.count <= fieldLimit else { throw .tooLarge }
        for line in lines { fields.append(try Self.field(line)) }
    }

    /// Splits a head at CR LF. A single CR or LF, or a NUL, is refused.
    private static func lines(_ head: ArraySlice<UInt8>) throws(RequestRefusal) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var (first, index) = (head.startIndex, head.startIndex)
        while index < head.endIndex {
            switch head[index] {
            case 0x0D:
                guard index + 1 < head.endIndex, head[index + 1] == 0x0A else { throw .malformed }
                lines.append(head[first..<index])
                index += 1
                first = index + 1
            case 0x0A, 0: throw .malformed
            default: break
            }
            index += 1
        }
        return lines + [head[first...]]
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> (name: String, value: String) {
        // Folded lines (RFC 9112, 5.2) begin with a space, which is no character of a name.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isToken)
        else { throw .malformed }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let rest = line[(colon + 1)...].drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex
        return (
            String(decoding: line[..<colon], as: UTF8.self).lowercased(), String(decoding: rest[..<end], as: UTF8.self)
        )
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    func request() throws(RequestRefusal) -> ServedRequest {
        let parts = start.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(Self.isToken) else { throw .malformed }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw version.hasPrefix("HTTP/") ? .version : .malformed
        }
        guard let method = ServedRequest.Method(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            throw .method
        }
        if values("transfer-encoding").count > 0 || values("content-length").contains(where: { $0 != "0" }) {
            throw .body
        }
        let target = try RequestTarget(parts[1])
        let hosts = values("host")
        guard hosts.count == 1, authorizations.count <= 1 else { throw .hostMissing }
        let options = values("connection").joined(separator: ",").lowercased().split { ", \t".contains($0) }
        let isLast = version == "HTTP/1.0" || options.contains("close")
        return ServedRequest(
            method: method, path: target.path, query: target.query, host: (target.host ?? hosts[0]).lowercased(),
            authorization: authorizations.first, isLast: isLast)
    }

    private var authorizations: [String] { values("authorization") }

    private func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// The target of a request: its path and its parameters.
private struct RequestTarget {
    /// The host and port of a target in absolute form (RFC 9112, 3.2.2), which replaces the field `Host`.
    let host: String?
    let path: String
    let query: [String: String]

    init(_ bytes: ArraySlice<UInt8>) throws(RequestRefusal) {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformed }
        var rest = bytes
        let scheme = Array("http://".utf8)
        if bytes.starts(with: scheme) {
            rest = bytes.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            guard end > rest.startIndex else { throw .malformed }
            host = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        } else {
            guard bytes.first == UInt8(ascii: "/") else { throw .malformed }
            host = nil
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = mark == rest.startIndex ? "/" : String(decoding: rest[..<mark], as: UTF8.self)
        var query: [String: String] = [:]
        for pair in rest[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let equal = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try Self.decoded(pair[..<equal])
            let value = try Self.decoded(pair[equal...].dropFirst())
            query[name] = query[name] ?? value
        }
        self.query = query
    }

    /// Decodes a name or a value of a parameter: `+` is a space, `%41` is an A.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(RequestRefusal) -> String {
        var decoded: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): decoded.append(0x20)
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
                else { throw .malformed }
                decoded.append(high << 4 | low)
                index += 2
            case let byte: decoded.append(byte)
            }
            index += 1
        }
        guard let text = String(validating: decoded, as: UTF8.self), !decoded.contains(0) else { throw .malformed }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
