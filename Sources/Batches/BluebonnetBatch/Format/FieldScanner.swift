// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Scans JSON text and tracks the field that each byte belongs to.
///
/// The scanner finds two things that a parsed value does not show: a repeated member name, and the field in which the
/// text stops being JSON. It validates nothing: `JSONParser` must have accepted the scanned text.
struct FieldScanner {
    /// An open array or object.
    private struct Container {
        /// The member names of an object so far; nil for an array.
        var names: Set<ByteString>?
        /// The member or element at the scanner's position.
        var place: FieldPath.Component?
        /// Whether the next string is the name of a member.
        var expectsName = false
    }

    private let text: ArraySlice<UInt8>
    private var position: Int
    private var containers: [Container] = []
    private var hasRepeatedName = false

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    /// Returns the first field whose name repeats one of the same object; nil if all names differ. The text must be
    /// valid JSON.
    static func repeatedField(in text: ArraySlice<UInt8>) -> FieldPath? {
        var scanner = FieldScanner(text)
        while scanner.position < text.endIndex, !scanner.hasRepeatedName { scanner.step() }
        return scanner.hasRepeatedName ? scanner.path : nil
    }

    /// Returns the field to which the byte after `text` belongs.
    static func field(after text: ArraySlice<UInt8>) -> FieldPath {
        var scanner = FieldScanner(text)
        while scanner.position < text.endIndex { scanner.step() }
        return scanner.path
    }

    private var path: FieldPath {
        containers.compactMap(\.place).reduce(into: .top) { $0.push($1) }
    }

    private mutating func step() {
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "\""): consumeString()
        case UInt8(ascii: "{"): containers.append(Container(names: [], expectsName: true))
        case UInt8(ascii: "["): containers.append(Container(place: .element(0)))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = containers.popLast()
        case UInt8(ascii: ","): stepToNextItem()
        default: break
        }
        position += 1
    }

    private mutating func stepToNextItem() {
        guard var container = containers.popLast() else { return }
        if case .element(let index) = container.place {
            container.place = .element(index + 1)
        } else {
            container.place = nil
            container.expectsName = true
        }
        containers.append(container)
    }

    /// Moves to the closing quote of a string, or to the end of the text, and records the string if it is a member
    /// name.
    private mutating func consumeString() {
        let opening = position
        position += 1
        while position < text.endIndex, text[position] != UInt8(ascii: "\"") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < text.endIndex, var container = containers.popLast() else { return }
        if container.expectsName {
            let name = Self.string(text[opening...position])
            container.place = .member(name)
            container.expectsName = false
            hasRepeatedName = container.names?.insert(ByteString(name)).inserted == false
        }
        containers.append(container)
    }

    /// Returns the content of a quoted string.
    private static func string(_ quoted: ArraySlice<UInt8>) -> String {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return quoted.withUnsafeBytes { try? JSONParser.value(of: $0).string } ?? ""
    }
}
