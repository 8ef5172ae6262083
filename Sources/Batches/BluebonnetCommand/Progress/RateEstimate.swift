// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Estimates the current rate of a growing total: an exponentially weighted moving average.
struct RateEstimate: Sendable {
    private let memory: Double

    private var last: (total: Double, instant: Double)?
    private var weightedRate = 0.0
    private var weight = 0.0

    /// - Parameter memory: the time constant in seconds: the weight of a measurement falls to about a third (1/e) in
    ///   this time.
    init(memory: Double = 2) { self.memory = memory }

    /// The rate, in units per second; nil before the second measurement.
    var perSecond: Double? { weight > 0 ? weightedRate / weight : nil }

    /// Adds a measurement: the total at an instant in seconds.
    mutating func record(_ total: Double, at instant: Double) {
        defer { last = (total, instant) }
        guard let last, instant > last.instant else { return }
        let elapsed = instant - last.instant
        let decay = exp(-elapsed / memory)
        weightedRate = weightedRate * decay + (total - last.total) / elapsed * (1 - decay)
        weight = weight * decay + (1 - decay)
    }
}
