// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// Text of a request line with references to what other operations returned, and to the environment.
///
/// | text | stands for |
/// |---|---|
/// | `${ID.status}` | the status code |
/// | `${ID.headers.NAME}` | the header's value, whatever the case of NAME; repeated ones joined by `, ` |
/// | `${ID.body}` | the whole body as text |
/// | `${ID.body.PATH}` | a value in the parsed JSON body: names and indices, joined by dots: `user.roles.0` |
/// | `${env:NAME}` | the environment variable NAME of the process that sends the request |
/// | `$${` | `${` itself |
///
/// A dot that belongs to a name of PATH is written `\.`: `${n.body.a\.b}` is the member `a.b`.
///
/// A string of the body is inserted as it is; a number, a truth value and null as the server wrote them; an array and
/// an object as compact JSON text, the names in order. Inserted text is not searched for references again. Names are
/// the same when they have the same bytes. The body is read in the charset that the response names. A value can be
/// referred to also where another part of the body is not JSON: half a surrogate pair, NaN, Infinity.
///
/// An id may hold dots: it ends before the first `.body` or `.headers` that a dot follows, or before a `.body` or
/// `.status` at the end. A reference ends with the first `}`, so no part of it can hold one.
///
/// An id may begin with `env:`. A text that can be a reference to a line is one: `${env:x.status}` is the status of the
/// line `env:x`, and no variable. The name of a variable is not empty and holds no `=` and no NUL.
public struct ReferenceTemplate: Sendable, Hashable {
    /// A piece of the text.
    public enum Part: Sendable, Hashable {
        /// Text that stands for itself.
        case literal(String)
        /// A reference to what another operation returned.
        case reference(Reference)
        /// A reference to an environment variable. It makes no dependency.
        case environmentVariable(name: String)
    }

    /// A reference `${…}`.
    public struct Reference: Sendable, Hashable, CustomStringConvertible {
        /// The part of the operation that is inserted.
        public enum Selector: Sendable, Hashable {
            /// The status code.
            case status
            /// The value of a header.
            case header(String)
            /// The value at the end of a path, or the whole body when the path is empty.
            case body(path: [String])
        }

        /// The id of the operation.
        public let id: String
        /// The part that is inserted.
        public let selector: Selector

        /// The reference as it is written.
        public var description: String {
            switch selector {
            case .status: "${\(id).status}"
            case .header(let name): "${\(id).headers.\(name)}"
            case .body(let path):
                "${\((["\(id).body"] + path.map(ReferenceScanner.escapingDots)).joined(separator: "."))}"
            }
        }
    }

    /// The pieces in their order; no two literals are neighbours, and none is empty.
    public let parts: [Part]

    /// Parses `text`; an error names `field`.
    public init(parsing text: String, field: String? = nil) throws(RequestLineError) {
        do throws(RequestLineError) {
            parts = try ReferenceScanner.parts(of: text)
        } catch {
            throw RequestLineError(field: field, message: error.message)
        }
    }

    /// The references to other operations in their order.
    public var references: [Reference] {
        parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The ids that the text refers to, each once, in their order.
    public var referencedIDs: [String] {
        references.map(\.id).uniqueTexts
    }

    /// The names of the environment variables that the text refers to, in their order.
    var environmentNames: [String] {
        parts.compactMap { if case .environmentVariable(let name) = $0 { name } else { nil } }
    }

    /// The text with every reference replaced.
    ///
    /// - Parameters:
    ///   - environment: the environment variables, by name. Default none.
    ///   - source: gives the response of the operation with an id.
    /// - Throws: `unresolvedReference` when there is no source, or not in it what the reference names, or when a
    ///   variable is not set.
    public func resolved(
        environment: [String: String] = [:], using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .reference(let reference):
                guard let source = source(reference.id) else {
                    throw NetworkingError(.unresolvedReference, "\(reference): \(reference.id) has no result")
                }
                text += try source.text(for: reference)
            case .environmentVariable(let name):
                guard let value = environment[named: name] else {
                    let remedy = "set it in the environment of the process that sends the request"
                    throw NetworkingError(
                        .unresolvedReference, "${env:\(name)}: the environment variable \(name) is not set; \(remedy)")
                }
                text += value
            }
        }
        return text
    }

    /// Whether `text` holds anything but literal text, so that parsing it is worth the while.
    static func isNeeded(for text: String) -> Bool {
        text.hasByte(UInt8(ascii: "$"))
    }
}

extension [String: String] {
    /// The value of the variable whose name has these bytes: a dictionary takes a KELVIN SIGN for a K.
    subscript(named name: String) -> String? {
        index(forKey: name).flatMap { FieldSyntax.isSameText(self[$0].key, name) ? self[$0].value : nil }
    }
}

// MARK: - Parsing

/// Takes the text of a template apart.
private struct ReferenceScanner {
    private static let opening = "${".utf8
    private static let escapedOpening = "$${".utf8
    private static let environmentPrefix = "env:".utf8

    private var rest: Substring
    private var literal = ""
    private var parts: [ReferenceTemplate.Part] = []

    private init(_ text: String) {
        rest = Substring(text)
    }

    static func parts(of text: String) throws(RequestLineError) -> [ReferenceTemplate.Part] {
        var scanner = ReferenceScanner(text)
        while !scanner.rest.isEmpty { try scanner.step() }
        scanner.endLiteral()
        return scanner.parts
    }

    /// Takes the text up to the next dollar sign, or what starts with it.
    private mutating func step() throws(RequestLineError) {
        if rest.utf8.starts(with: Self.escapedOpening) {
            literal += "${"
            rest = Substring(rest.utf8.dropFirst(Self.escapedOpening.count))
        } else if rest.utf8.starts(with: Self.opening) {
            endLiteral()
            parts.append(try takeReference())
        } else {
            let end = rest.utf8.dropFirst().firstIndex(of: UInt8(ascii: "$")) ?? rest.endIndex
            literal += rest[..<end]
            rest = rest[end...]
        }
    }

    private mutating func endLiteral() {
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
    }

    private mutating func takeReference() throws(RequestLineError) -> ReferenceTemplate.Part {
        let content = rest.utf8.dropFirst(Self.opening.count)
        guard let end = content.firstIndex(of: UInt8(ascii: "}")) else {
            throw RequestLineError(message: #""${" without "}"; write "$${" for a literal "${""#)
        }
        rest = Substring(rest.utf8[end...].dropFirst())
        let names = content[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return try Self.part(String(Substring(content[..<end])), names.map { String(Substring($0)) })
    }

    /// Makes a part of the text between the braces, and between its dots.
    private static func part(
        _ content: String, _ names: [String]
    ) throws(RequestLineError) -> ReferenceTemplate.Part {
        if let selectorIndex = names.indices.dropFirst().first(where: { isSelector(names, $0) }) {
            return .reference(try reference(names, selectorIndex))
        }
        guard content.utf8.starts(with: environmentPrefix) else {
            let expectation = "expected ${ID.body.PATH}, ${ID.status}, ${ID.headers.NAME} or ${env:NAME}"
            throw RequestLineError(message: "\(expectation), found \(JSONText.quoted("${\(content)}"))")
        }
        let name = String(Substring(content.utf8.dropFirst(environmentPrefix.count)))
        guard !name.isEmpty, !name.hasByte(0), !name.hasByte(UInt8(ascii: "=")) else {
            let problem = "an environment variable has a name without \"=\" and NUL"
            throw RequestLineError(message: "\(problem), found \(JSONText.quoted("${\(content)}"))")
        }
        return .environmentVariable(name: name)
    }

    /// Makes a reference to an operation of the texts between the dots.
    private static func reference(
        _ names: [String], _ selectorIndex: Int
    ) throws(RequestLineError) -> ReferenceTemplate.Reference {
        let written = "${\(names.joined(separator: "."))}"
        let id = names[..<selectorIndex].joined(separator: ".")
        guard !id.isEmpty else { throw RequestLineError(message: "no id in \(JSONText.quoted(written))") }
        let arguments = Array(names[(selectorIndex + 1)...])
        let path = joiningEscapedDots(arguments)
        switch names[selectorIndex] {
        case "status": return .init(id: id, selector: .status)
        case "headers" where arguments != [""]:
            return .init(id: id, selector: .header(arguments.joined(separator: ".")))
        case "body" where !path.contains(""): return .init(id: id, selector: .body(path: path))
        default: throw RequestLineError(message: "empty name in \(JSONText.quoted(written))")
        }
    }

    /// The names of a path, of which one that ends in a backslash continues after the dot.
    private static func joiningEscapedDots(_ pieces: [String]) -> [String] {
        var names: [String] = []
        var isOpen = false
        for (index, piece) in pieces.enumerated() {
            let goesOn = index < pieces.count - 1 && piece.utf8.last == UInt8(ascii: "\\")
            let text = goesOn ? String(decoding: piece.utf8.dropLast(), as: UTF8.self) + "." : piece
            if isOpen { names[names.count - 1] += text } else { names.append(text) }
            isOpen = goesOn
        }
        return names
    }

    /// A name as it is written in a path.
    static func escapingDots(_ name: String) -> String {
        name.replacingOccurrences(of: ".", with: "\\.", options: .literal)
    }

    private static func isSelector(_ names: [String], _ index: Int) -> Bool {
        switch names[index] {
        case "body": true
        case "headers": index < names.count - 1
        case "status": index == names.count - 1
        default: false
        }
    }
}
