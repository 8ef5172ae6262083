// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The values that one field of a cron expression permits. A value type.
struct CronField: Sendable, Hashable {
    /// A bit for each permitted value.
    private var bits: UInt64 = 0
    /// Whether the field begins with `*`. Such a field does not restrict the days.
    private(set) var isStar = false

    func contains(_ value: Int) -> Bool { bits & 1 << UInt64(value) != 0 }

    /// Whether the field permits all values of a range.
    func containsAll(_ range: ClosedRange<Int>) -> Bool { range.allSatisfy(contains) }

    /// Returns the permitted values of a range, in order.
    func values(in range: ClosedRange<Int>) -> [Int] { range.filter(contains) }

    private mutating func insert(_ value: Int) { bits |= 1 << UInt64(value) }
}

// MARK: - Parsing

extension CronField {
    typealias Name = CronExpression.Field

    /// Parses the text of a field: a list of `*`, values and ranges, each `*` and range with an optional step.
    init(_ text: Substring, _ name: Name) throws(CronExpression.ParseError) {
        isStar = text.first == "*"
        for item in text.split(separator: ",", omittingEmptySubsequences: false) { try insert(item, name) }
    }

    private mutating func insert(_ item: Substring, _ name: Name) throws(CronExpression.ParseError) {
        let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = parts.first, !base.isEmpty else {
            throw .init(name, "a value is missing; write for example \(name.example)")
        }
        let (range, isSingle) = try Self.range(base, name)
        var step = 1
        if parts.count == 2 {
            guard !isSingle else {
                throw .init(name, "a step follows * or a range: write \(base)-\(name.range.upperBound)/\(parts[1])")
            }
            let count = name.range.count
            guard let number = Self.number(parts[1]), (1...count).contains(number) else {
                throw .init(name, "the step \"\(parts[1])\" is not a number from 1 to \(count)")
            }
            step = number
        }
        for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
            insert(name == .dayOfWeek ? value % 7 : value)
        }
    }

    /// Returns the values of an item without its step, and whether it is a single value.
    private static func range(
        _ text: Substring, _ name: Name
    ) throws(CronExpression.ParseError) -> (ClosedRange<Int>, isSingle: Bool) {
        if text == "*" { return (name.range, false) }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0], name)
        guard ends.count == 2 else { return (first...first, true) }
        var last = try value(ends[1], name)
        // Sunday is the first day and the last one.
        if name == .dayOfWeek, last == 0, first > 0 { last = 7 }
        guard first <= last else { throw .init(name, "the range \"\(text)\" ends before it begins") }
        return (first...last, false)
    }

    private static func value(_ text: Substring, _ name: Name) throws(CronExpression.ParseError) -> Int {
        if let index = name.words.firstIndex(of: text.lowercased()) { return index + name.range.lowerBound }
        let range = name.range.lowerBound...(name == .dayOfWeek ? 7 : name.range.upperBound)
        if let value = number(text), range.contains(value) { return value }
        var expected = "a number from \(range.lowerBound) to \(range.upperBound)"
        if let first = name.words.first, let last = name.words.last {
            expected += " or a name from \(first) to \(last)"
        }
        throw .init(name, "\"\(text)\" is not \(expected)")
    }

    /// Parses decimal digits without a sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

extension CronExpression.Field {
    /// The values of the field. Sunday is 0; 7 is Sunday, too.
    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...6
        }
    }

    /// The names of the values, from the first value on.
    fileprivate var words: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        }
    }

    fileprivate var example: String {
        switch self {
        case .minute: "*/15"
        case .hour: "9-17"
        case .dayOfMonth: "1,15"
        case .month: "jan-mar"
        case .dayOfWeek: "mon-fri"
        }
    }
}
