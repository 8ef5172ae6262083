// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Parses a path (RFC 9535, appendix A) and checks the types of its functions.
struct JSONPathParser {
    /// The maximum nesting depth of filters, parentheses and functions. Deeper paths are refused before the stack
    /// overflows, here and in the evaluation.
    static let maximumDepth = 64

    var scanner: JSONPathScanner
    var depth = 0
    /// The place of the first blank in brackets of the current query. A query that is compared has no blank there.
    var blankInBrackets: Int?
    /// The start of the current query, and of its last name that has no brackets. Advice quotes them.
    private var queryStart = 0
    private var nameStart: Int?

    private init(_ text: String) { scanner = JSONPathScanner(text) }

    /// Parses a path.
    static func segments(of text: String) throws(JSONPathError) -> [JSONPathSegment] {
        var parser = JSONPathParser(text)
        guard parser.scanner.skip("$") else { throw parser.scanner.error("a path begins with $") }
        let segments = try parser.segments()
        if parser.scanner.next != nil { throw parser.errorAfterSegments("a segment begins with . or [") }
        return segments
    }

    /// Parses a query of a filter, from its `@` or `$` on.
    mutating func query() throws(JSONPathError) -> JSONPathQuery {
        let isRelative = scanner.next == UInt8(ascii: "@")
        queryStart = scanner.position
        blankInBrackets = nil
        scanner.position += 1
        let segments = try segments()
        return JSONPathQuery(
            isRelative: isRelative, segments: segments, isSingular: segments.allSatisfy(\.isSingular))
    }

    private mutating func segments() throws(JSONPathError) -> [JSONPathSegment] {
        var segments: [JSONPathSegment] = []
        nameStart = nil
        while true {
            let end = scanner.position
            scanner.skipBlank()
            guard let segment = try segment() else {
                scanner.position = end
                return segments
            }
            segments.append(segment)
        }
    }

    /// Parses a segment; nil if none comes next.
    private mutating func segment() throws(JSONPathError) -> JSONPathSegment? {
        let isDescendant = scanner.isNext("..")
        let hasDot = scanner.skip("..") || scanner.skip(".")
        if scanner.next == UInt8(ascii: "["), isDescendant || !hasDot {
            nameStart = nil
            return JSONPathSegment(isDescendant: isDescendant, selectors: try brackets())
        }
        guard hasDot else { return nil }
        nameStart = scanner.position
        if scanner.skip("*") { return JSONPathSegment(isDescendant: isDescendant, selectors: [.wildcard]) }
        guard let name = scanner.name() else { throw errorAfterDot() }
        return JSONPathSegment(isDescendant: isDescendant, selectors: [.name(ByteString(name))])
    }

    private mutating func brackets() throws(JSONPathError) -> [JSONPathSelector] {
        let (opening, start) = (scanner.position, queryStart)
        var selectors: [JSONPathSelector] = []
        repeat {
            scanner.position += 1  // a bracket or a comma
            skipBlankInBrackets()
            selectors.append(try selector())
            skipBlankInBrackets()
        } while scanner.next == UInt8(ascii: ",")
        guard scanner.next != nil else { throw scanner.error("the bracket is not closed", at: opening) }
        guard scanner.skip("]") else {
            if case .filter = selectors.last { throw errorAfterCondition("&&, ||, a comma or ] is expected") }
            throw scanner.error("a comma or ] is expected")
        }
        (queryStart, nameStart) = (start, nil)
        return selectors
    }

    private mutating func skipBlankInBrackets() {
        let start = scanner.position
        scanner.skipBlank()
        if scanner.position > start { blankInBrackets = blankInBrackets ?? start }
    }
}

// MARK: - Selectors

extension JSONPathParser {
    private mutating func selector() throws(JSONPathError) -> JSONPathSelector {
        switch scanner.next {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .name(ByteString(try scanner.string()))
        case UInt8(ascii: "*"):
            scanner.position += 1
            return .wildcard
        case UInt8(ascii: "?"):
            scanner.position += 1
            scanner.skipBlank()
            return .filter(try condition())
        case UInt8(ascii: ":"), UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            return try indexOrSlice()
        default: throw selectorError()
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> JSONPathSelector {
        let first = scanner.isIntegerNext ? try scanner.integer() : nil
        let end = scanner.position
        scanner.skipBlank()
        guard scanner.skip(":") else {
            scanner.position = end
            guard let first else { throw scanner.error("an index is expected") }
            return .index(first)
        }
        let last = try optionalInteger()
        let step = scanner.skip(":") ? try optionalInteger() : nil
        return .slice(JSONPathSlice(start: first, end: last, step: step ?? 1))
    }

    private mutating func optionalInteger() throws(JSONPathError) -> Int? {
        scanner.skipBlank()
        let integer = scanner.isIntegerNext ? try scanner.integer() : nil
        scanner.skipBlank()
        return integer
    }
}

// MARK: - Errors with advice

extension JSONPathParser {
    private func selectorError() -> JSONPathError {
        guard let byte = scanner.next else { return scanner.error("the path ends in a bracket") }
        if byte == UInt8(ascii: "(") {
            return scanner.error("a filter begins with ?, and the last element has the index -1")
        }
        guard JSONPathScanner.isNameStart(byte) else {
            return scanner.error("a quoted name, an index, a slice, * or a filter is expected")
        }
        return scanner.error(
            "names in brackets are quoted: [\(JSONPathPlace.quoted(unquotedName(from: scanner.position)))]")
    }

    /// The characters up to a separator of segments or selectors.
    private func unquotedName(from start: Int) -> String {
        let end = scanner.bytes[start...].firstIndex {
            ".[],)=<>!&|?:\"'".utf8.contains($0) || JSONPathScanner.isBlank($0)
        }
        return scanner.text(start..<(end ?? scanner.bytes.count))
    }

    private func errorAfterDot() -> JSONPathError {
        switch scanner.next {
        case nil: return scanner.error("a name or * is expected after the dot")
        case UInt8(ascii: "["): return scanner.error("no dot precedes a bracket")
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return scanner.error("quoted names go in brackets, without a dot")
        default: return nameError() ?? scanner.error("a name or * is expected after the dot")
        }
    }

    /// Returns the error for a name that needs brackets; nil if there is no such name.
    private func nameError() -> JSONPathError? {
        guard let nameStart, scanner.bytes[nameStart] != UInt8(ascii: "*") else { return nil }
        let name = unquotedName(from: nameStart)
        guard nameStart + name.utf8.count > scanner.position else { return nil }
        if scanner.next == UInt8(ascii: "(") {
            return scanner.error("functions are called in filters, such as [?length(@.name) > 1]")
        }
        // The dots of a descendant segment remain.
        let isDescendant = scanner.bytes[..<nameStart].suffix(2).elementsEqual("..".utf8)
        let before = scanner.text(queryStart..<(isDescendant ? nameStart : nameStart - 1))
        let shown = before.utf8.count > 60 ? "…" : before
        return scanner.error(
            "names with other characters go in brackets: \(shown)[\(JSONPathPlace.quoted(name))]")
    }

    /// Returns the error for an unexpected character after the segments of a query.
    func errorAfterSegments(_ reason: String) -> JSONPathError {
        let rest = scanner.bytes[scanner.position...]
        if rest.allSatisfy(JSONPathScanner.isBlank) { return scanner.error("blank space follows the path") }
        return nameError() ?? scanner.error(reason)
    }
}
