// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Parses an I-Regexp (RFC 9485, section 3) and compiles it to states.
struct JSONPathPatternParser {
    /// The maximum nesting depth of groups.
    private static let maximumDepth = 64

    private typealias State = JSONPathPattern.State

    /// The text is not an I-Regexp.
    private struct InvalidPattern: Error {}

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// The number of states that were made, with those that groups and quantifiers copied or dropped.
    private var madeCount = 0

    /// Returns the states of a pattern; nil if the text is not an I-Regexp.
    ///
    /// - Throws: the error of a pattern with too many states or groups.
    static func states(of text: String) throws(JSONPathLimitError) -> [JSONPathPattern.State]? {
        var parser = JSONPathPatternParser(scalars: Array(text.unicodeScalars))
        do {
            let states = try parser.alternatives()
            return parser.position == parser.scalars.count ? states + [.end] : nil
        } catch let error as JSONPathLimitError {
            throw error
        } catch {
            return nil
        }
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private var following: Unicode.Scalar? { position + 1 < scalars.count ? scalars[position + 1] : nil }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func consume() throws -> Unicode.Scalar {
        guard let scalar = next else { throw InvalidPattern() }
        position += 1
        return scalar
    }

    private func checked(_ states: [State]) throws -> [State] {
        guard states.count < JSONPathPattern.maximumStateCount else { throw JSONPathLimitError.pattern }
        return states
    }

    // MARK: - Structure

    private mutating func alternatives() throws -> [State] {
        var branches = [try branch()]
        while skip("|") { branches.append(try branch()) }
        // Before each branch except the last, a state that tries the next branch; after it, a jump over the rest.
        var restCount = branches.reduce(0) { $0 + $1.count + 2 } - 2
        var states: [State] = []
        for branch in branches.dropLast() {
            restCount -= branch.count + 2
            states.append(.split(1, branch.count + 2))
            states += branch
            states.append(.jump(restCount + 1))
        }
        return try checked(states + branches[branches.count - 1])
    }

    private mutating func branch() throws -> [State] {
        var states: [State] = []
        if depth == 0, next == "^", !"*+?{".unicodeScalars.contains(following ?? "a") {
            position += 1
            states.append(.textStart)
        }
        while let scalar = next, scalar != "|", scalar != ")" {
            if depth == 0, scalar == "$", following == nil || following == "|" {
                position += 1
                return states + [.textEnd]
            }
            let atom = try atom()
            let piece = try quantified(atom)
            madeCount += piece.count
            guard madeCount < 4 * JSONPathPattern.maximumStateCount else { throw JSONPathLimitError.pattern }
            states += piece
            guard states.count < JSONPathPattern.maximumStateCount else { throw JSONPathLimitError.pattern }
        }
        return states
    }

    private mutating func atom() throws -> [State] {
        let scalar = try consume()
        switch scalar {
        case "(":
            guard depth < Self.maximumDepth else { throw JSONPathLimitError.pattern }
            depth += 1
            defer { depth -= 1 }
            let states = try alternatives()
            guard skip(")") else { throw InvalidPattern() }
            return states
        case ".": return [.character(.anyInLine)]
        case "\\": return [.character(JSONPathCharacterSet(parts: [try escape()]))]
        case "[": return [.character(try characterClass())]
        case "*", "+", "?", ")", "]", "{", "}", "|": throw InvalidPattern()
        default: return [.character(JSONPathCharacterSet(parts: [.range(scalar...scalar)]))]
        }
    }

    private mutating func quantified(_ atom: [State]) throws -> [State] {
        if skip("*") { return try repeated(atom, 0, nil) }
        if skip("+") { return try repeated(atom, 1, nil) }
        if skip("?") { return try repeated(atom, 0, 1) }
        guard skip("{") else { return atom }
        let minimum = try count()
        var maximum: Int? = minimum
        if skip(",") { maximum = next == "}" ? nil : try count() }
        guard skip("}"), maximum.map({ $0 >= minimum }) ?? true else { throw InvalidPattern() }
        return try repeated(atom, minimum, maximum)
    }

    private mutating func count() throws -> Int {
        let start = position
        while let scalar = next, ("0"..."9").contains(scalar) { position += 1 }
        guard position > start else { throw InvalidPattern() }
        let digits = String(String.UnicodeScalarView(scalars[start..<position]))
        return Int(digits) ?? .max
    }

    private func repeated(_ atom: [State], _ minimum: Int, _ maximum: Int?) throws -> [State] {
        let optionalCount = maximum.map { $0 - minimum } ?? 1
        // An empty atom matches the empty text, however often it is repeated.
        guard !atom.isEmpty, maximum != 0 else { return [] }
        guard max(minimum, optionalCount) <= JSONPathPattern.maximumStateCount / atom.count else {
            throw JSONPathLimitError.pattern
        }
        var states = Array(repeatElement(atom, count: minimum).joined())
        guard maximum != nil else {
            return try checked(states + [.split(1, atom.count + 2)] + atom + [.jump(-atom.count - 1)])
        }
        // Each optional repetition may be skipped to the next one, which may be skipped, too.
        for _ in 0..<optionalCount { states += [.split(1, atom.count + 1)] + atom }
        return try checked(states)
    }
}

// MARK: - Character sets

extension JSONPathPatternParser {
    /// Parses a set in brackets, from its second character on.
    private mutating func characterClass() throws -> JSONPathCharacterSet {
        var set = JSONPathCharacterSet()
        set.isComplement = skip("^")
        if skip("-") { set.parts.append(.range("-"..."-")) }
        while !skip("]") {
            if skip("-") {
                // Only the first and the last character may be a minus.
                guard !set.parts.isEmpty, next == "]" else { throw InvalidPattern() }
                set.parts.append(.range("-"..."-"))
            } else {
                set.parts.append(try classPart())
            }
        }
        guard !set.parts.isEmpty else { throw InvalidPattern() }
        return set
    }

    private mutating func classPart() throws -> JSONPathCharacterSet.Part {
        let part = try classCharacter()
        guard case .range(let first) = part, next == "-", let following, following != "]"
        else { return part }
        position += 1
        guard case .range(let last) = try classCharacter(), first.lowerBound <= last.lowerBound else {
            throw InvalidPattern()
        }
        return .range(first.lowerBound...last.lowerBound)
    }

    private mutating func classCharacter() throws -> JSONPathCharacterSet.Part {
        let scalar = try consume()
        switch scalar {
        case "\\": return try escape()
        case "-", "[", "]": throw InvalidPattern()
        default: return .range(scalar...scalar)
        }
    }

    /// Parses an escape, from its second character on.
    private mutating func escape() throws -> JSONPathCharacterSet.Part {
        let scalar = try consume()
        switch scalar {
        case "n": return .range("\n"..."\n")
        case "r": return .range("\r"..."\r")
        case "t": return .range("\t"..."\t")
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return .range(scalar...scalar)
        case "p", "P": return .category(letters: try category(), isComplement: scalar == "P")
        default: throw InvalidPattern()
        }
    }

    private mutating func category() throws -> String {
        guard skip("{") else { throw InvalidPattern() }
        let first = try consume()
        let kinds: [Unicode.Scalar: String] = [
            "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "Z": "lps", "S": "ckmo", "C": "cfno",
        ]
        guard let letters = kinds[first] else { throw InvalidPattern() }
        if skip("}") { return String(first) }
        let second = try consume()
        guard letters.unicodeScalars.contains(second), skip("}") else { throw InvalidPattern() }
        return String(first) + String(second)
    }
}
