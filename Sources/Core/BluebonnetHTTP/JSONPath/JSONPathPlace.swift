// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The place of a value in a document: the names and indices from the root to the value.
indirect enum JSONPathPlace: Sendable {
    case root
    case member(String, of: JSONPathPlace)
    case element(Int, of: JSONPathPlace)

    /// The normalized path of the place (RFC 9535, 2.7).
    var normalizedPath: String {
        var parts: [String] = []
        var place = self
        while true {
            switch place {
            case .root: return "$" + parts.reversed().joined()
            case .member(let name, let parent):
                parts.append("[\(Self.quoted(name))]")
                place = parent
            case .element(let index, let parent):
                parts.append("[\(index)]")
                place = parent
            }
        }
    }

    /// Returns a name in single quotes, with the escapes of normalized paths only.
    static func quoted(_ name: String) -> String {
        var quoted = "'"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\u{8}": quoted += #"\b"#
            case "\t": quoted += #"\t"#
            case "\n": quoted += #"\n"#
            case "\u{C}": quoted += #"\f"#
            case "\r": quoted += #"\r"#
            case "'", "\\": quoted += "\\\(scalar)"
            case "\0"..."\u{1F}":
                quoted += "\\u00\(scalar.value < 0x10 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }
}

/// A value that an evaluation visits: with its place, or without if only the value is needed.
protocol JSONPathVisited {
    var value: JSONValue { get }
    func child(_ value: JSONValue, named name: String) -> Self
    func child(_ value: JSONValue, at index: Int) -> Self
}

extension JSONValue: JSONPathVisited {
    var value: JSONValue { self }
    func child(_ value: JSONValue, named name: String) -> JSONValue { value }
    func child(_ value: JSONValue, at index: Int) -> JSONValue { value }
}

/// A value with its place.
struct JSONPathPlacedValue: JSONPathVisited {
    let value: JSONValue
    let place: JSONPathPlace

    private init(_ value: JSONValue, _ place: JSONPathPlace) { (self.value, self.place) = (value, place) }

    init(root: JSONValue) { self.init(root, .root) }

    func child(_ value: JSONValue, named name: String) -> Self { Self(value, .member(name, of: place)) }
    func child(_ value: JSONValue, at index: Int) -> Self { Self(value, .element(index, of: place)) }
}
