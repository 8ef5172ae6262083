// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// One element of DER (X.690): a tag of one byte, and its content. Content is not interpreted by type.
struct DERElement {
    let tag: UInt8
    let content: Data

    init(_ tag: UInt8, _ content: Data) {
        self.tag = tag
        self.content = content
    }

    /// Parses the first element of the bytes.
    init(_ bytes: Data) throws {
        var rest = bytes
        self = try Self.consume(&rest)
    }

    /// The encoded element, with its tag and its length.
    var bytes: Data {
        let count = content.count
        guard count > 127 else { return Data([tag, UInt8(count)]) + content }
        let digits = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return Data([tag, 0x80 | UInt8(digits.count)] + digits) + content
    }

    /// The elements in the content.
    var elements: [DERElement] {
        get throws {
            var elements: [DERElement] = []
            var rest = content
            while !rest.isEmpty { elements.append(try Self.consume(&rest)) }
            return elements
        }
    }

    /// Returns a copy in which every primitive element is replaced by the result of `change`.
    func changed(_ change: (DERElement) -> DERElement) throws -> DERElement {
        guard tag & 0x20 != 0 else { return change(self) }
        return DERElement(tag, try elements.reduce(into: Data()) { try $0.append($1.changed(change).bytes) })
    }

    private static func consume(_ rest: inout Data) throws -> DERElement {
        func next(_ count: Int) throws -> Data {
            guard count <= rest.count else { throw TestServerError("the bytes are not DER") }
            defer { rest = rest.dropFirst(count) }
            return Data(rest.prefix(count))
        }
        let head = try next(2)
        guard head[1] > 127 else { return DERElement(head[0], try next(Int(head[1]))) }
        let count = try next(Int(head[1] & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
        return DERElement(head[0], try next(count))
    }
}
