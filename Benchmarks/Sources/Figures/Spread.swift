// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The median, minimum and maximum of a figure over the rounds. It does not depend on the metric.
package struct Spread: Codable, Equatable, Sendable {
    package let median: Double
    package let minimum: Double
    package let maximum: Double

    /// - Parameter values: at least one value.
    package init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread needs at least one value")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }

    /// Returns the text, for example `54012 (52000–55100)`.
    package func text(fractionDigits digits: Int) -> String {
        "\(Self.text(median, digits)) (\(Self.text(minimum, digits))–\(Self.text(maximum, digits)))"
    }

    /// Returns a number with this number of decimals.
    package static func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
