// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The work that an evaluation may do, in steps.
struct JSONPathBudget: Sendable {
    /// The number of bytes of a compared string that count as one step.
    private static let bytesPerStep = 64

    private let stepLimit: Int
    private var remainingSteps: Int

    init(stepLimit: Int) { (self.stepLimit, remainingSteps) = (stepLimit, stepLimit) }

    /// Accounts for steps.
    mutating func spend(_ count: Int = 1) throws(JSONPathLimitError) {
        remainingSteps -= count
        if remainingSteps < 0 { throw .steps(stepLimit) }
    }

    /// Accounts for bytes of strings.
    mutating func spend(byteCount: Int) throws(JSONPathLimitError) { try spend(byteCount / Self.bytesPerStep) }
}
