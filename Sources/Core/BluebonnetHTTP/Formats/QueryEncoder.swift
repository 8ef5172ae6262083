// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes parameters as a query or as a form body, by AFNetworking's rules.
///
/// * Keys are sorted, capitals before small letters. A dictionary nests as `key[member]`, and an array repeats `key[]`.
/// * A set repeats the key without brackets, with sorted elements. An empty container writes nothing.
/// * `NSNull` and nil write the key alone; the empty string writes `key=`. True and false are `1` and `0`.
/// * A number is written in its shortest form, and a whole number without a fraction: `1`, `2.5`, `1e+16`. A
///   `JSONNumber` keeps its text: `100.10`.
/// * Every byte except ASCII letters, digits and `-._~/?` is percent-escaped, including brackets.
public struct QueryEncoder: Sendable {
    /// Makes an encoder.
    public init() {}

    /// Returns the parameters as `a=1&b%5B%5D=2`; empty for no parameters.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    public func encode(_ parameters: Parameters) throws(NetworkingError) -> String {
        Self.text(of: try pairs(for: parameters))
    }

    /// Returns the members as `a=1&b%5B%5D=2`; empty for no members.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the member that cannot be encoded.
    public func encode(_ members: JSONObject) throws(NetworkingError) -> String {
        Self.text(of: try FormFields.flat(members).map(Self.pair))
    }

    private static func text(of pairs: [Pair]) -> String {
        var query = QueryText()
        for pair in pairs { query.append(pair) }
        return query.text
    }

    /// Returns the text with every byte percent-escaped that a name or a value of a query cannot contain.
    public func percentEscape(_ text: String) -> String {
        var query = QueryText()
        query.escape(text)
        return query.text
    }

    /// A name and its value before escaping. A nil value means the name alone.
    public typealias Pair = (name: String, value: String?)

    /// Returns the parameters as a flat list, not escaped, in the order in which they are sent. A custom query encoding
    /// can start from this list, as with AFNetworking's `AFQueryStringPairsFromDictionary`.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    public func pairs(for parameters: Parameters) throws(NetworkingError) -> [Pair] {
        try FormFields.flat(parameters).map(Self.pair)
    }

    private static func pair(_ field: FormField) -> Pair {
        guard case .text(let text) = field.value else { return (field.name, nil) }
        return (field.name, text)
    }
}

/// The growing bytes of a query.
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
