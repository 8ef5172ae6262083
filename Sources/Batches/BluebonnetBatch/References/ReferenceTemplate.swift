// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// Text of a request line with references to the responses of other operations, and to environment variables.
///
/// | text | replaced by |
/// |---|---|
/// | `${ID.status}` | the status code |
/// | `${ID.headers.NAME}` | the header's value, for NAME in any case; repeated headers are joined by `, ` |
/// | `${ID.body}` | the whole body as text |
/// | `${ID.body.PATH}` | a value in the parsed JSON body; PATH is names and indices joined by dots: `user.roles.0` |
/// | `${ID.values.NAME}` | a value that the line's `extract` took from its response; PATH may follow |
/// | `${ID.items}`, `${ID.pages}` | the number of items and pages of a line with `paginate` |
/// | `${NAME}`, `${NAME.PATH}` | in a line with `each`: the element, or a value in it, for NAME from `as` |
/// | `${state.NAME}` | a member of the state file |
/// | `${env:NAME}` | the environment variable NAME of the process that sends the request |
/// | `$${` | `${` itself |
///
/// A dot inside a name of PATH is written `\.`: `${n.body.a\.b}` is the member `a.b`.
///
/// A string of the body is inserted without its quotes and escapes; a number, a truth value and null as the server
/// wrote them; an array or an object as compact JSON text, with sorted names. Inserted text is not searched for
/// references. Names are compared byte by byte. The body is decoded with the charset of the response. A value can be
/// inserted even if another part of the body is not valid JSON, such as half a surrogate pair, NaN or Infinity.
///
/// An id may contain dots: it ends before the first `.body`, `.headers` or `.values` that a dot follows, or before a
/// `.body`, `.status`, `.items` or `.pages` at the end. A reference ends with the first `}`, so no part of it can
/// contain one.
///
/// An id may begin with `env:`. A text that can be read as a reference to a line is one: `${env:x.status}` is the
/// status of the line `env:x`, not a variable. The name of a variable is not empty and contains no `=` and no NUL.
public struct ReferenceTemplate: Sendable, Hashable {
    /// A piece of the text.
    public enum Part: Sendable, Hashable {
        /// Literal text.
        case literal(String)
        /// A reference to the response of another operation.
        case reference(Reference)
        /// A reference to an environment variable. It adds no dependency.
        case environmentVariable(name: String)
        /// A reference to the element of a line with `each`, or to the state file. It adds no dependency.
        case variable(name: String, path: [String])
    }

    /// A reference `${…}`.
    public struct Reference: Sendable, Hashable, CustomStringConvertible {
        /// The part of the response that is inserted.
        public enum Selector: Sendable, Hashable {
            /// The status code.
            case status
            /// The value of a header.
            case header(String)
            /// The value at a path, or the whole body if the path is empty.
            case body(path: [String])
            /// A value that was extracted from the response.
            case values(path: [String])
            /// The number of items of all pages.
            case items
            /// The number of pages.
            case pages
        }

        /// The id of the operation.
        public let id: String
        /// The part that is inserted.
        public let selector: Selector

        /// The reference as written in a line.
        public var description: String {
            switch selector {
            case .status: "${\(id).status}"
            case .header(let name): "${\(id).headers.\(name)}"
            case .items: "${\(id).items}"
            case .pages: "${\(id).pages}"
            case .body(let path): "${\(ReferenceScanner.joined("\(id).body", path))}"
            case .values(let path): "${\(ReferenceScanner.joined("\(id).values", path))}"
            }
        }
    }

    /// The pieces in order. No two literals are adjacent, and no literal is empty.
    public let parts: [Part]

    /// Parses `text`. An error names `field`.
    public init(parsing text: String, field: String? = nil) throws(RequestLineError) {
        try self.init(parsing: text, field: field, elementName: nil)
    }

    /// Parses the text of a line with `each`.
    ///
    /// - Parameter elementName: the name by which the line refers to its element.
    init(parsing text: String, field: String?, elementName: String?) throws(RequestLineError) {
        do throws(RequestLineError) {
            parts = try ReferenceScanner.parts(of: text, elementName)
        } catch {
            throw RequestLineError(field: field, message: error.message)
        }
    }

    /// The references to other operations, in order.
    public var references: [Reference] {
        parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The ids that the text refers to, each once, in order.
    public var referencedIDs: [String] {
        references.map(\.id).uniqueTexts
    }

    /// The names of the environment variables that the text refers to, in order.
    var environmentNames: [String] {
        parts.compactMap { if case .environmentVariable(let name) = $0 { name } else { nil } }
    }

    /// Whether the text refers to an element, or to the state file, by this name.
    func refers(to variable: String) -> Bool {
        parts.contains { if case .variable(variable, _) = $0 { true } else { false } }
    }

    /// Returns the text with every reference replaced.
    ///
    /// - Parameters:
    ///   - environment: the environment variables, by name. Default none.
    ///   - source: returns the response of the operation with an id.
    /// - Throws: `unresolvedReference`, if a reference has no source, the source lacks the referenced part, or a
    ///   variable is not set.
    public func resolved(
        environment: [String: String] = [:], using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        try resolved(environment: environment, variables: LineVariables(), using: source)
    }

    func resolved(
        environment: [String: String], variables: LineVariables, using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        var text = ""
        for part in parts { text += try Self.text(of: part, environment, variables, source) }
        return text
    }

    /// Returns the text that replaces a part.
    static func text(
        of part: Part, _ environment: [String: String], _ variables: LineVariables,
        _ source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        switch part {
        case .literal(let literal): return literal
        case .reference(let reference):
            guard let source = source(reference.id) else {
                throw NetworkingError(.unresolvedReference, "\(reference): \(reference.id) has no result")
            }
            return try source.text(for: reference)
        case .environmentVariable(let name):
            guard let value = environment[named: name] else {
                let remedy = "set it in the environment of the process that sends the request"
                throw NetworkingError(
                    .unresolvedReference, "${env:\(name)}: the environment variable \(name) is not set; \(remedy)")
            }
            return value
        case .variable(let name, let path): return try variables.text(name, path)
        }
    }

    /// Returns whether `text` may contain more than literal text and must be parsed.
    static func isNeeded(for text: String) -> Bool {
        text.hasByte(UInt8(ascii: "$"))
    }
}

extension [String: String] {
    /// The value of the variable with exactly these bytes as its name: keys of a dictionary are equal by canonical
    /// equivalence, which equates a KELVIN SIGN and a K.
    subscript(named name: String) -> String? {
        index(forKey: name).flatMap { FieldSyntax.isSameText(self[$0].key, name) ? self[$0].value : nil }
    }
}

// MARK: - Parsing

/// Splits the text of a template into parts.
private struct ReferenceScanner {
    private static let opening = "${".utf8
    private static let escapedOpening = "$${".utf8
    private static let environmentPrefix = "env:".utf8

    private let elementName: String?
    private var rest: Substring
    private var literal = ""
    private var parts: [ReferenceTemplate.Part] = []

    private init(_ text: String, _ elementName: String?) {
        (rest, self.elementName) = (Substring(text), elementName)
    }

    static func parts(
        of text: String, _ elementName: String?
    ) throws(RequestLineError) -> [ReferenceTemplate.Part] {
        var scanner = ReferenceScanner(text, elementName)
        while !scanner.rest.isEmpty { try scanner.step() }
        scanner.endLiteral()
        return scanner.parts
    }

    /// Consumes the text up to the next dollar sign, or the reference or escape that begins with one.
    private mutating func step() throws(RequestLineError) {
        if rest.utf8.starts(with: Self.escapedOpening) {
            literal += "${"
            rest = Substring(rest.utf8.dropFirst(Self.escapedOpening.count))
        } else if rest.utf8.starts(with: Self.opening) {
            endLiteral()
            parts.append(try consumeReference())
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

    private mutating func consumeReference() throws(RequestLineError) -> ReferenceTemplate.Part {
        let content = rest.utf8.dropFirst(Self.opening.count)
        guard let end = content.firstIndex(of: UInt8(ascii: "}")) else {
            throw RequestLineError(message: #""${" without "}"; write "$${" for a literal "${""#)
        }
        rest = Substring(rest.utf8[end...].dropFirst())
        let names = content[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return try part(String(Substring(content[..<end])), names.map { String(Substring($0)) })
    }

    /// Makes a part from the text between the braces, also given split at its dots.
    private func part(_ content: String, _ names: [String]) throws(RequestLineError) -> ReferenceTemplate.Part {
        if let elementName, FieldSyntax.isSameText(elementName, names[0]) {
            return try Self.variable(content, names)
        }
        if let selectorIndex = names.indices.dropFirst().first(where: { Self.isSelector(names, $0) }) {
            return .reference(try Self.reference(names, selectorIndex))
        }
        if names[0] == LineVariables.stateName, names.count > 1 { return try Self.variable(content, names) }
        guard content.utf8.starts(with: Self.environmentPrefix) else {
            let forms = "${ID.body.PATH}, ${ID.status}, ${ID.headers.NAME}, ${ID.values.NAME}"
            let element = elementName.map { ", ${\($0).PATH}" } ?? ""
            let expectation = "expected \(forms)\(element) or ${env:NAME}"
            throw RequestLineError(message: "\(expectation), found \(JSONText.quoted("${\(content)}"))")
        }
        let name = String(Substring(content.utf8.dropFirst(Self.environmentPrefix.count)))
        guard !name.isEmpty, !name.hasByte(0), !name.hasByte(UInt8(ascii: "=")) else {
            let problem = "expected the name of an environment variable, without \"=\" and NUL"
            throw RequestLineError(message: "\(problem), found \(JSONText.quoted("${\(content)}"))")
        }
        return .environmentVariable(name: name)
    }

    /// Makes a reference to an element or to the state file.
    private static func variable(
        _ content: String, _ names: [String]
    ) throws(RequestLineError) -> ReferenceTemplate.Part {
        let path = joiningEscapedDots(Array(names.dropFirst()))
        guard !path.contains("") else {
            throw RequestLineError(message: "empty name in \(JSONText.quoted("${\(content)}"))")
        }
        return .variable(name: names[0], path: path)
    }

    /// Makes a reference to an operation from the names between the dots.
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
        case "values" where !path.contains(""): return .init(id: id, selector: .values(path: path))
        case "items": return .init(id: id, selector: .items)
        case "pages": return .init(id: id, selector: .pages)
        default: throw RequestLineError(message: "empty name in \(JSONText.quoted(written))")
        }
    }

    /// Joins the names of a path that were split at escaped dots: a piece that ends in a backslash continues after the
    /// dot.
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

    /// Returns a text with the names of a path, as written in a reference.
    static func joined(_ text: String, _ path: [String]) -> String {
        ([text] + path.map(escapingDots)).joined(separator: ".")
    }

    /// Returns a name with its dots escaped, as written in a path.
    private static func escapingDots(_ name: String) -> String {
        name.replacingOccurrences(of: ".", with: "\\.", options: .literal)
    }

    private static func isSelector(_ names: [String], _ index: Int) -> Bool {
        switch names[index] {
        case "body": true
        case "headers", "values": index < names.count - 1
        case "status", "items", "pages": index == names.count - 1
        default: false
        }
    }
}
