// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// A snapshot of a batch in a fleet's store.
public struct FleetBatch: Sendable, Hashable {
    /// Whether workers get lines of a batch.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Workers get lines.
        case open
        /// Workers get no lines; lines that they have claimed continue.
        case paused
        /// Lines that had not ended were cancelled.
        case cancelled
    }

    /// The batch's name.
    public let name: String
    /// Whether workers get lines of the batch.
    public let state: State
    /// The batch's priority. Batches of a higher priority go first.
    public let priority: Int
    /// The number of lines, with the pages and elements that the store has so far.
    public let lineCount: Int
    /// The number of lines that workers have claimed.
    public let claimedCount: Int
    /// The number of ended lines by outcome. Outcomes without lines are left out.
    public let counts: [ResultLine.Outcome: Int]
    /// The bytes of the bodies of all ended lines.
    public let byteCount: Int
    /// When the batch was submitted.
    public let created: Date

    /// The number of lines that have an outcome.
    public var endedCount: Int { counts.values.reduce(0, +) }
    /// The number of lines that have no outcome and that no worker has claimed.
    public var waitingCount: Int { max(0, lineCount - endedCount - claimedCount) }
    /// Whether every line has an outcome.
    public var isComplete: Bool { endedCount == lineCount }
    /// Whether every line has succeeded.
    public var isSuccess: Bool { counts[.success] ?? 0 == lineCount }
}

/// A snapshot of a worker of a fleet.
public struct FleetMember: Sendable, Hashable {
    /// The worker's name: by default the host's name and the process's number.
    public let name: String
    /// The version of the tables for which the worker's program was made.
    public let version: String
    /// How many transfers the worker runs at once.
    public let slotCount: Int
    /// The number of lines that the worker has claimed.
    public let claimedCount: Int
    /// The number of lines that the worker has recorded.
    public let endedCount: Int
    /// The seconds since the worker's last heartbeat.
    public let secondsSilent: Double
    /// When the worker was registered.
    public let started: Date
}

/// A snapshot of an origin of a batch.
public struct FleetOrigin: Sendable, Hashable {
    /// Scheme, host and port; empty for lines whose URL is known only later.
    public let origin: String
    /// The number of lines of the batch.
    public let lineCount: Int
    /// The number of lines that could be sent now.
    public let readyCount: Int
    /// The seconds until requests to the origin continue; nil if the origin is not paused.
    public let secondsHeld: Double?
}
