// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Formats numbers with their units, briefly, for people.
enum Quantity {
    /// Returns a size in powers of 1000: `512 B`, `1.2 kB`, `30.0 MB`.
    static func bytes(_ count: Int64) -> String {
        bytes(Double(count))
    }

    /// Returns a rate: `9.8 MB/s`.
    static func bytesPerSecond(_ rate: Double) -> String {
        bytes(max(0, rate.rounded())) + "/s"
    }

    /// Returns a rate: `7.4 req/s`, `123 req/s`.
    static func requestsPerSecond(_ rate: Double) -> String {
        (rate < 9.95 ? fixed(rate, 1) : fixed(rate, 0)) + " req/s"
    }

    /// Returns a duration in whole seconds: `0:07`, `1:02`, `1:02:03`.
    static func duration(_ seconds: Double) -> String {
        let total = Int(min(max(0, seconds), 1e9).rounded())
        let (hours, minutes) = (total / 3600, total / 60 % 60)
        return (hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)") + ":\(twoDigits(total % 60))"
    }

    /// Returns a duration: `0.42 s`, `9.1 s`; from one minute, the same as `duration`.
    static func elapsed(_ seconds: Double) -> String {
        if seconds >= 59.95 { return duration(seconds) }
        return fixed(seconds, seconds < 0.995 ? 2 : 1) + " s"
    }

    /// Returns a number with its noun: `1 request`, `2 requests`.
    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func bytes(_ count: Double) -> String {
        if count < 1000 { return "\(Int(count)) B" }
        var value = count / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        while value >= 999.95 && units.count > 1 {
            value /= 1000
            units = units.dropFirst()
        }
        return "\(fixed(value, 1)) \(units.first ?? "")"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
