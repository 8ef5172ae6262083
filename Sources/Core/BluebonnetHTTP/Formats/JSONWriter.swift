// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes parameters as JSON text (RFC 8259): members sorted by key, no white space, slashes not escaped. `JSONText`
/// implements the syntax of JSON; this type implements the kinds of parameters.
///
/// Values that JSON cannot express are refused: numbers that are not finite, sets (they have no order), dates and data.
package enum JSONWriter {
    /// Returns the JSON text of a dictionary, an array or any other value.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    package static func text(of value: Any) throws(NetworkingError) -> JSONText {
        var text = JSONText()
        try ParameterPath.naming { try write(value, depth: 0, to: &text) }
        return text
    }

    private static func write(_ value: Any, depth: Int, to text: inout JSONText) throws {
        switch try ParameterPath.kind(of: value, depth: depth) {
        case .null: text.token("null")
        case .bool(let value): text.token(value ? "true" : "false")
        case .number(let number): text.token(number)
        case .text(let string): text.string(string)
        case .dictionary(let members):
            try text.object { text in
                for member in members.sorted(by: { ByteString($0.key) < ByteString($1.key) }) {
                    text.key(member.key)
                    try ParameterPath.at("." + member.key) { try write(member.value, depth: depth + 1, to: &text) }
                }
            }
        case .array(let elements):
            try text.array { text in
                for (index, element) in elements.enumerated() {
                    try ParameterPath.at("[\(index)]") { try write(element, depth: depth + 1, to: &text) }
                }
            }
        case .date: throw ParameterPath.fault(ParameterValue.dateAdvice)
        case .data: throw ParameterPath.fault(ParameterValue.dataAdvice)
        case .set: throw ParameterPath.fault("a set has no order in JSON, so use an array")
        }
    }
}
