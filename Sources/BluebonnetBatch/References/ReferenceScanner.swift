// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Takes the text of a template apart.
struct ReferenceScanner {
    private static let opening = "${".utf8
    private static let escapedOpening = "$${".utf8

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
            parts.append(.reference(try takeReference()))
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

    private mutating func takeReference() throws(RequestLineError) -> ReferenceTemplate.Reference {
        let content = rest.utf8.dropFirst(Self.opening.count)
        guard let end = content.firstIndex(of: UInt8(ascii: "}")) else {
            throw RequestLineError(message: #""${" without "}"; write "$${" for a literal "${""#)
        }
        rest = Substring(rest.utf8[end...].dropFirst())
        let names = content[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return try Self.reference(names.map { String(Substring($0)) })
    }

    /// Makes a reference of what stands between the dots.
    private static func reference(_ names: [String]) throws(RequestLineError) -> ReferenceTemplate.Reference {
        let written = "${\(names.joined(separator: "."))}"
        guard let selectorIndex = names.indices.dropFirst().first(where: { isSelector(names, $0) }) else {
            let expectation = "expected ${ID.body.PATH}, ${ID.status} or ${ID.headers.NAME}"
            throw RequestLineError(message: "\(expectation), found \(JSONText.quoted(written))")
        }
        let id = names[..<selectorIndex].joined(separator: ".")
        guard !id.isEmpty else { throw RequestLineError(message: "no id in \(JSONText.quoted(written))") }
        let arguments = Array(names[(selectorIndex + 1)...])
        switch names[selectorIndex] {
        case "status": return .init(id: id, selector: .status)
        case "headers" where arguments != [""]:
            return .init(id: id, selector: .header(arguments.joined(separator: ".")))
        case "body" where !arguments.contains(""): return .init(id: id, selector: .body(path: arguments))
        default: throw RequestLineError(message: "empty name in \(JSONText.quoted(written))")
        }
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
