// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes parameters as JSON text (RFC 8259): members sorted by key, no white space, slashes not escaped.
///
/// What JSON has no form for is refused: numbers that are not finite, sets (they have no order), dates, data.
package struct JSONWriter {
    private var bytes: [UInt8] = []

    private init() {}

    /// The JSON text of a dictionary, an array or any other value.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded.
    package static func bytes(of value: Any) throws -> [UInt8] {
        var writer = JSONWriter()
        try ParameterPath.naming { try writer.write(value, depth: 0) }
        return writer.bytes
    }

    private mutating func write(_ value: Any, depth: Int) throws {
        switch try ParameterPath.kind(of: value, depth: depth) {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .text(let text): write(text)
        case .dictionary(let members): try write(members, depth: depth + 1)
        case .array(let elements): try write(elements, depth: depth + 1)
        case .date: throw ParameterPath.fault(ParameterValue.dateAdvice)
        case .data: throw ParameterPath.fault(ParameterValue.dataAdvice)
        case .set: throw ParameterPath.fault("a set has no order in JSON, so use an array")
        }
    }

    private mutating func write(_ members: [(key: String, value: Any)], depth: Int) throws {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            try ParameterPath.at("." + member.key) { try write(member.value, depth: depth) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ elements: [Any], depth: Int) throws {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            try ParameterPath.at("[\(index)]") { try write(element, depth: depth) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case 0x00..<0x20: bytes += "\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0x0F, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
