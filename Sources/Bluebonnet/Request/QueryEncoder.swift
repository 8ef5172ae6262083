// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes parameters as a query or as a form body, by the rules that AFNetworking made its own.
///
/// * Keys are sorted, capitals before small letters; a dictionary nests as `key[member]`, an array repeats `key[]`.
/// * A set repeats the key without brackets, its elements sorted; an empty container writes nothing.
/// * `NSNull` and nil write the key alone, the empty string writes `key=`; true and false are `1` and `0`.
/// * A number is written in its shortest form, a whole one without fraction: `1`, `2.5`, `1e+16`.
/// * Everything but ASCII letters, digits and `-._~/?` is percent-escaped, brackets too.
public struct QueryEncoder: Sendable {
    /// Makes an encoder.
    public init() {}

    /// The parameters as `a=1&b%5B%5D=2`; empty for no parameters.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded.
    public func encode(_ parameters: Parameters) throws -> String {
        var query = QueryText()
        for pair in try pairs(for: parameters) { query.append(pair) }
        return query.text
    }

    /// The text with every byte escaped that a name or a value in a query must not show.
    public func percentEscape(_ text: String) -> String {
        var query = QueryText()
        query.escape(text)
        return query.text
    }

    /// A name and its value before escaping; nil stands for a name alone.
    typealias Pair = (name: String, value: String?)

    /// The parameters as a flat list, in the order in which they are sent.
    func pairs(for parameters: Parameters) throws -> [Pair] {
        var pairs: [Pair] = []
        try ParameterPath.naming {
            for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
                try ParameterPath.at("." + key) { try Self.append(value, named: key, depth: 1, to: &pairs) }
            }
        }
        return pairs
    }

    private static func append(_ value: Any, named name: String, depth: Int, to pairs: inout [Pair]) throws {
        switch try ParameterPath.kind(of: value, depth: depth) {
        case .null: pairs.append((name, nil))
        case .bool(let value): pairs.append((name, value ? "1" : "0"))
        case .number(let text), .text(let text): pairs.append((name, text))
        case .dictionary(let members):
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                try ParameterPath.at("." + key) {
                    try append(value, named: "\(name)[\(key)]", depth: depth + 1, to: &pairs)
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try ParameterPath.at("[\(index)]") {
                    try append(element, named: name + "[]", depth: depth + 1, to: &pairs)
                }
            }
        case .set(let elements): pairs += try sorted(elements, named: name, depth: depth)
        }
    }

    /// The pairs of a set, whose elements have no order of their own: by their text.
    private static func sorted(_ elements: [Any], named name: String, depth: Int) throws -> [Pair] {
        var groups: [[Pair]] = []
        for element in elements {
            var group: [Pair] = []
            try ParameterPath.at("{}") { try append(element, named: name, depth: depth + 1, to: &group) }
            groups.append(group)
        }
        return groups.sorted { $0.lexicographicallyPrecedes($1, by: precedes) }.flatMap { $0 }
    }

    private static func precedes(_ first: Pair, _ second: Pair) -> Bool {
        (first.name, first.value ?? "") < (second.name, second.value ?? "")
    }
}

/// The bytes of a query as it grows.
private struct QueryText {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ pair: QueryEncoder.Pair) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        escape(pair.name)
        guard let value = pair.value else { return }
        bytes.append(UInt8(ascii: "="))
        escape(value)
    }

    mutating func escape(_ text: String) {
        for byte in text.utf8 {
            if Self.isBare(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 0x0F)])
            }
        }
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "/"), UInt8(ascii: "?"): true
        default: false
        }
    }
}
