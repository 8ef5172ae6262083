// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The middle and the ends of a figure's values over the rounds. It does not know what is measured.
package struct Spread: Codable, Equatable, Sendable {
    package let median: Double
    package let minimum: Double
    package let maximum: Double

    /// Takes at least one value.
    package init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread needs at least one value")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }

    /// For example `54012 (52000–55100)`.
    package func text(fractionDigits digits: Int) -> String {
        "\(Self.text(median, digits)) (\(Self.text(minimum, digits))–\(Self.text(maximum, digits)))"
    }

    /// A number with so many digits behind the point.
    package static func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
