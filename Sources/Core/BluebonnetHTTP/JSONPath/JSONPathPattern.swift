// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A pattern of `match()` and `search()`: an I-Regexp (RFC 9485).
///
/// RFC 9485 has two readings of `^` and `$`: ordinary characters, as in the XSD patterns of section 5.2, or anchors, as
/// in the translations of sections 5.3 and 5.4. Here they are anchors where only anchors make sense: `^` at the start
/// of a pattern, `$` at its end, and so for each alternative outside groups. Elsewhere they are ordinary characters.
///
/// The pattern is compiled to states that are followed at the same time. So a match takes at most the number of states
/// for each character, whatever the pattern.
struct JSONPathPattern: Sendable {
    /// The maximum number of states. A quantifier such as `{1000}` repeats the states of its operand.
    static let maximumStateCount = 10_000
    /// The number of visited states that count as one step of the path.
    private static let statesPerStep = 8

    /// A state of the compiled pattern.
    enum State: Sendable {
        /// Consumes a character of the set, then continues with the next state.
        case character(JSONPathCharacterSet)
        /// Continues with both states. The numbers are distances.
        case split(Int, Int)
        /// Continues with another state. The number is a distance.
        case jump(Int)
        /// Continues with the next state at the start of the text only.
        case textStart
        /// The whole pattern matched if the text ends here.
        case textEnd
        /// The whole pattern matched.
        case end
    }

    private let states: [State]

    /// The number of states.
    var stateCount: Int { states.count }

    /// Compiles a pattern; nil if the text is not an I-Regexp.
    ///
    /// - Throws: the error of a pattern with too many states.
    init?(_ text: String) throws(JSONPathLimitError) {
        guard let states = try JSONPathPatternParser.states(of: text) else { return nil }
        self.states = states
    }

    /// Returns whether the text matches.
    ///
    /// - Parameters:
    ///   - isPartial: whether any part of the text may match, not only the whole text.
    ///   - budget: accounts for the visited states.
    func matches(
        _ text: String, isPartial: Bool, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> Bool {
        var current = JSONPathStateSet(count: states.count)
        var following = current
        var visitedCount = 0
        add(0, to: &current, isAtStart: true)
        for scalar in text.unicodeScalars {
            if isPartial, current.hasEnd { return true }
            visitedCount += current.members.count + 1
            if visitedCount >= 1024 {
                try budget.spend(visitedCount / Self.statesPerStep)
                visitedCount = 0
            }
            following.removeAll()
            for index in current.members {
                if case .character(let set) = states[index], set.contains(scalar) { add(index + 1, to: &following) }
            }
            if isPartial { add(0, to: &following) }
            swap(&current, &following)
            if current.members.isEmpty { return false }
        }
        try budget.spend(visitedCount / Self.statesPerStep)
        return current.hasEnd || current.hasTextEnd
    }

    /// Adds a state and the states that follow it without a character.
    private func add(_ first: Int, to set: inout JSONPathStateSet, isAtStart: Bool = false) {
        var pending = [first]
        while let index = pending.popLast() {
            guard set.insert(index) else { continue }
            switch states[index] {
            case .character: break
            case .split(let one, let other): pending += [index + other, index + one]
            case .jump(let distance): pending.append(index + distance)
            case .textStart: if isAtStart { pending.append(index + 1) }
            case .textEnd: set.hasTextEnd = true
            case .end: set.hasEnd = true
            }
        }
    }
}

/// A set of states, in the order of insertion.
private struct JSONPathStateSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]
    /// Whether the end of the pattern is a member.
    var hasEnd = false
    /// Whether a state is a member that matches at the end of the text.
    var hasTextEnd = false

    init(count: Int) { isMember = Array(repeating: false, count: count) }

    /// Returns whether the state is new.
    mutating func insert(_ state: Int) -> Bool {
        guard !isMember[state] else { return false }
        isMember[state] = true
        members.append(state)
        return true
    }

    mutating func removeAll() {
        for state in members { isMember[state] = false }
        members.removeAll(keepingCapacity: true)
        (hasEnd, hasTextEnd) = (false, false)
    }
}

/// The characters that one place of a pattern accepts.
struct JSONPathCharacterSet: Sendable {
    /// A part of a set.
    enum Part: Sendable {
        case range(ClosedRange<Unicode.Scalar>)
        /// The categories whose names begin with the letters, such as "L" or "Lu"; or all other categories.
        case category(letters: String, isComplement: Bool)
    }

    var parts: [Part] = []
    var isComplement = false

    /// All characters except line ends: the set of a dot.
    static let anyInLine = JSONPathCharacterSet(parts: [.range("\n"..."\n"), .range("\r"..."\r")], isComplement: true)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar)
            case .category(let letters, let isComplement):
                scalar.properties.generalCategory.letters.hasPrefix(letters) != isComplement
            }
        } != isComplement
    }
}

extension Unicode.GeneralCategory {
    /// The two letters of the category (Unicode Standard, table 4-4).
    fileprivate var letters: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
