// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// How fast something grows now: a mean over the last seconds, in which what is longer ago counts less.
struct RateEstimate: Sendable {
    /// After this many seconds, what was measured counts a third.
    private static let memory = 2.0

    private var last: (total: Double, instant: Double)?
    private var weightedRate = 0.0
    private var weight = 0.0

    /// Units a second; nil as long as nothing can be said.
    var perSecond: Double? { weight > 0 ? weightedRate / weight : nil }

    /// Takes into account how much there is at an instant, in seconds.
    mutating func note(_ total: Double, at instant: Double) {
        defer { last = (total, instant) }
        guard let last, instant > last.instant else { return }
        let elapsed = instant - last.instant
        let decay = exp(-elapsed / Self.memory)
        weightedRate = weightedRate * decay + (total - last.total) / elapsed * (1 - decay)
        weight = weight * decay + (1 - decay)
    }
}
