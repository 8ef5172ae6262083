// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Parses spans and dates that no RFC defines for HTTP but servers write: `6m0s`, `250ms`, `2026-11-27T05:00:00Z`.
/// Pure.
package enum TimeSpanText {
    /// The units in the order in which they may follow each other.
    private static let units: [(name: Substring, seconds: Double)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9),
    ]

    /// Returns the seconds of a span: numbers with units, the largest unit first. Nil for any other text.
    package static func seconds(_ text: String) -> Double? {
        var rest = Substring(FieldSyntax.trimmed(Substring(text).utf8))
        var (sum, next) = (0.0, 0)
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { !("0"..."9").contains($0) }
            rest = rest.dropFirst(name.count)
            guard digits.first != ".", digits.last != ".", let number = Double(digits),
                let unit = units.indices.first(where: { units[$0].name == name }), unit >= next
            else { return nil }
            sum += number * units[unit].seconds
            next = unit + 1
        }
        return sum
    }

    /// Parses a date in the form of RFC 3339. The time zone is required: without it, the date would have many meanings.
    package static func date(_ text: String) -> Date? {
        let text = String(Substring(FieldSyntax.trimmed(Substring(text).utf8)))
        guard text.utf8.count >= 20, text.utf8.first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
        return (try? Date.ISO8601FormatStyle().parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }
}
