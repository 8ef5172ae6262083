// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// A condition of `--fail-if`, such as `failed > 1%` or `p95 > 800ms`.
struct FailCondition: Sendable, Equatable {
    enum Subject: String, CaseIterable, Sendable {
        case failed, skipped, p50, p95, p99, rate
    }

    enum Comparison: String, CaseIterable, Sendable {
        case atLeast = ">="
        case atMost = "<="
        case equal = "=="
        case greater = ">"
        case less = "<"

        /// Compares a found value with the limit.
        func holds(_ found: Double, _ limit: Double) -> Bool {
            switch self {
            case .greater: found > limit
            case .atLeast: found >= limit
            case .less: found < limit
            case .atMost: found <= limit
            case .equal: found == limit
            }
        }
    }

    enum Limit: Sendable, Equatable {
        case count(Int)
        case percent(Double)
        case seconds(Double)
        /// Requests per second.
        case rate(Double)
    }

    let subject: Subject
    let comparison: Comparison
    let limit: Limit
    /// The condition as given, without spaces at its ends.
    let text: String
}

// MARK: - Evaluation

extension FailCondition {
    /// Returns the found value, as text; nil if the condition does not hold. Without requests, a condition on a
    /// percentile never holds.
    func violation(_ measures: RunMeasures) -> String? {
        switch subject {
        case .failed: violation(count: measures.failedCount, of: measures.totalCount)
        case .skipped: violation(count: measures.skippedCount, of: measures.totalCount)
        case .p50: violation(percentile: 0.5, measures)
        case .p95: violation(percentile: 0.95, measures)
        case .p99: violation(percentile: 0.99, measures)
        case .rate: holds(measures.rate) ? Quantity.requestsPerSecond(measures.rate) : nil
        }
    }

    private func violation(count: Int, of total: Int) -> String? {
        switch limit {
        case .percent(let percent):
            // Multiplied, because a quotient is rounded: 1 of 100 is exactly 1 %.
            let holds = comparison.holds(Double(count) * 100, percent * Double(max(total, 1)))
            return holds ? "\(count) of \(total) (\(Self.percent(count, of: total)))" : nil
        case .count, .seconds, .rate: return holds(Double(count)) ? "\(count) of \(total)" : nil
        }
    }

    private func violation(percentile part: Double, _ measures: RunMeasures) -> String? {
        guard let found = measures.percentile(part), holds(found) else { return nil }
        return EventText.duration(found)
    }

    private func holds(_ found: Double) -> Bool {
        switch limit {
        case .count(let count): comparison.holds(found, Double(count))
        case .percent(let limit), .seconds(let limit), .rate(let limit): comparison.holds(found, limit)
        }
    }

    private static func percent(_ count: Int, of total: Int) -> String {
        let tenths = total == 0 ? 0 : (Double(count) / Double(total) * 1000).rounded()
        return tenths == 0 && count > 0 ? "less than 0.1%" : "\(tenths / 10)%"
    }
}
