// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The status of an origin under a `Governor` at one moment.
public struct OriginStatus: Sendable, Hashable {
    /// Scheme, host and port: `https://api.example.com:443`.
    public let origin: String
    /// Until when no transfer begins, because the server asked clients to wait or because the origin is unavailable;
    /// nil without such a time.
    public package(set) var heldUntil: Date?
    /// Whether the circuit breaker makes the origin's operations fail.
    public package(set) var isUnavailable = false
    /// The number of running transfers.
    public package(set) var runningCount = 0
    /// The number of operations that wait for a slot because of the governor.
    public package(set) var waitingCount = 0
    /// The number of transfers that may run at once now.
    public package(set) var transferLimit = 1
    /// The rate learned from the server's refusals, in transfers per second; nil without a learned rate.
    public package(set) var learnedRate: Double?

    package init(origin: String) { self.origin = origin }
}
