// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Where an origin stands under a `Governor`, at one moment. A value.
public struct OriginStatus: Sendable, Hashable {
    /// Scheme, host and port: `https://api.example.com:443`.
    public let origin: String
    /// Until when no transfer begins, because the server asked for that, or because the origin is unavailable; nil when
    /// there is no such time.
    public package(set) var heldUntil: Date?
    /// Whether the circuit breaker lets the origin's operations fail.
    public package(set) var isUnavailable = false
    /// The number of transfers that run.
    public package(set) var runningCount = 0
    /// The number of operations that wait for a slot, as far as they wait because of the governor.
    public package(set) var waitingCount = 0
    /// How many transfers may run at once now.
    public package(set) var transferLimit = 1
    /// The rate that the server's refusals have shown, in transfers a second; nil when there were none.
    public package(set) var learnedRate: Double?

    package init(origin: String) { self.origin = origin }
}
