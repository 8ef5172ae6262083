// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A number of a JSON text, exactly as written: `12345678901234567890`, `100.10` and `1e2` keep all their digits.
///
/// Two numbers are equal if they have the same value in any notation: `1.0` equals `1.00` and `1e0`.
public struct JSONNumber: Sendable {
    /// The number as written. For a number that is not finite, which JSON cannot express, Swift's description of it.
    public let text: String

    /// Makes a number from its text.
    ///
    /// - Parameter text: a number by JSON's rules (RFC 8259, 6), and nothing else. Nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let value = bytes.withUnsafeBytes { bytes in try? JSONParser.value(of: bytes) }
        // A different length means that white space surrounds the number.
        switch value {
        case .integer(let whole)? where String(whole).utf8.count == bytes.count: break
        case .number(let number)? where number.text.utf8.count == bytes.count: break
        default: return nil
        }
        self.init(checked: text)
    }

    /// Makes a number with the shortest text that parses as the same value. A whole number that is exact has no
    /// fraction.
    public init(_ value: Double) {
        let whole = value.magnitude < 0x1p53 ? Int64(exactly: value) : nil
        text = whole.map { String($0) } ?? "\(value)"
    }

    /// - Parameter text: a number by JSON's rules.
    package init(checked text: String) { self.text = text }

    /// The nearest `Double`; infinite for a number beyond the range of `Double`.
    public var double: Double { Double(text) ?? .nan }

    /// Whether the text is JSON. Otherwise the number was made from a `Double` that is not finite.
    package var isFinite: Bool { text.utf8.last.map { (0x30...0x39).contains($0) } ?? false }

    /// Whether the value has no fraction in any notation: `1.0` and `1e3` are whole.
    package var isWhole: Bool { DecimalValue(text)?.isWhole ?? false }

    /// The exact value of a whole number in any notation; nil for other numbers, and beyond 64 bits.
    package var wholeValue: Int64? { DecimalValue(text)?.wholeValue }
}

extension JSONNumber: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(floatLiteral value: Double) { self.init(value) }

    public init(integerLiteral value: Int64) { self.init(checked: String(value)) }

    /// The number as written.
    public var description: String { text }
}

extension JSONValue {
    /// The exact value of any number; nil for other values.
    package var exactNumber: JSONNumber? {
        switch self {
        case .integer(let number): JSONNumber(integerLiteral: number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

// MARK: - Equality

extension JSONNumber: Hashable {
    public static func == (first: JSONNumber, second: JSONNumber) -> Bool {
        if FieldSyntax.isSameText(first.text, second.text) { return true }
        guard let value = DecimalValue(first.text) else { return false }
        return value == DecimalValue(second.text)
    }

    public func hash(into hasher: inout Hasher) {
        if let value = DecimalValue(text) { hasher.combine(value) } else { hasher.combine(text) }
    }

    /// Compares by exact value. A number with an exponent that no real number needs is neither less nor greater than
    /// others with such an exponent.
    package static func < (first: JSONNumber, second: JSONNumber) -> Bool {
        let (one, other) = (first.double, second.double)
        if one != other { return one < other }
        // Numbers with more digits than a Double, or beyond its range.
        guard let one = DecimalValue(first.text), let other = DecimalValue(second.text) else { return false }
        return one < other
    }
}

/// The value of a number: digits without leading and trailing zeros, times a power of ten.
private struct DecimalValue: Hashable {
    private let isNegative: Bool
    private let digits: [UInt8]
    private let exponent: Int

    /// Nil for text that is not a number, and for an exponent with more digits than any real number needs.
    init?(_ text: String) {
        let parts = text.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        guard let mantissa = parts.first, var exponent = parts.count == 1 ? 0 : Int(Substring(parts[1])),
            exponent.magnitude < 1 << 48
        else { return nil }
        var digits = mantissa.filter { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= mantissa.distance(from: point, to: mantissa.endIndex) - 1
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
        self.exponent = self.digits.isEmpty ? 0 : exponent
        isNegative = !self.digits.isEmpty && mantissa.first == UInt8(ascii: "-")
    }

    static func < (first: DecimalValue, second: DecimalValue) -> Bool {
        guard first.sign == second.sign else { return first.sign < second.sign }
        return first.isNegative ? second.hasSmallerMagnitude(than: first) : first.hasSmallerMagnitude(than: second)
    }

    var isWhole: Bool { exponent >= 0 }

    var wholeValue: Int64? {
        guard isWhole, digits.count + exponent <= 19 else { return nil }
        if digits.isEmpty { return 0 }
        let text = String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: exponent)
        return Int64(isNegative ? "-" + text : text)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func hasSmallerMagnitude(than other: DecimalValue) -> Bool {
        let (scale, otherScale) = (digits.count + exponent, other.digits.count + other.exponent)
        return scale == otherScale ? digits.lexicographicallyPrecedes(other.digits) : scale < otherScale
    }
}
