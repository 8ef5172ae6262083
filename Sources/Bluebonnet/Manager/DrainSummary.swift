// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// What became of a manager's operations when it was drained.
public struct DrainSummary: Sendable {
    /// Those that were under way and came to their own end, whatever it was.
    public internal(set) var finished: [Operation] = []
    /// Those that were under way and were cancelled at the deadline.
    public internal(set) var cancelled: [Operation] = []
    /// Those that were never let on the wire. They stay as they are: cancel them to have their handlers run.
    public internal(set) var unstarted: [Operation] = []
    /// Those that were paused. They stay as they are, too.
    public internal(set) var paused: [Operation] = []
    /// Whether the deadline passed before everything under way had ended.
    public internal(set) var hasExpired = false
}
