// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Scans JSON text and knows which field each byte belongs to.
///
/// It finds what a parsed value does not show any more: a name given twice, and the field in which text stops being
/// JSON. It checks nothing else: the scanned text must be valid JSON, as `JSONParser` found it.
struct FieldScanner {
    /// An array or an object that is open.
    private struct Container {
        /// The names of an object so far; nil for an array.
        var names: Set<ByteString>?
        /// The member or element that the scanner is in.
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

    /// The first field whose name was given before in the same object, in text that is valid JSON.
    static func repeatedField(in text: ArraySlice<UInt8>) -> FieldPath? {
        var scanner = FieldScanner(text)
        while scanner.position < text.endIndex, !scanner.hasRepeatedName { scanner.step() }
        return scanner.hasRepeatedName ? scanner.path : nil
    }

    /// The field that text belongs to which follows `text`.
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
        case UInt8(ascii: "\""): takeString()
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

    /// Steps to the closing quote of a string, or to the end, and notes a name.
    private mutating func takeString() {
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

    /// The text of a string in quotes.
    private static func string(_ quoted: ArraySlice<UInt8>) -> String {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return quoted.withUnsafeBytes { try? JSONParser.value(of: $0).string } ?? ""
    }
}
