// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// A batch in a fleet's store, as it stood at one moment.
public struct FleetBatch: Sendable, Hashable {
    /// Whether workers are given lines of a batch.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// They are.
        case open
        /// Workers get no line; lines that they have continue.
        case paused
        /// Lines that had not ended were cancelled.
        case cancelled
    }

    /// The name.
    public let name: String
    /// Whether workers are given lines of it.
    public let state: State
    /// Batches of a higher priority go first.
    public let priority: Int
    /// The number of lines.
    public let lineCount: Int
    /// The number of lines that workers have.
    public let claimedCount: Int
    /// The number of lines that have their outcome, by outcome; outcomes of no line are left out.
    public let counts: [ResultLine.Outcome: Int]
    /// The bytes of the bodies of all lines that have their outcome.
    public let byteCount: Int
    /// When it was submitted.
    public let created: Date

    /// The number of lines that have their outcome.
    public var endedCount: Int { counts.values.reduce(0, +) }
    /// The number of lines that no worker has and that have no outcome.
    public var waitingCount: Int { max(0, lineCount - endedCount - claimedCount) }
    /// Whether every line has its outcome.
    public var isComplete: Bool { endedCount == lineCount }
    /// Whether every line has succeeded.
    public var isSuccess: Bool { counts[.success] ?? 0 == lineCount }
}

/// A worker of a fleet, as it stood at one moment.
public struct FleetMember: Sendable, Hashable {
    /// The name that it was given: by default the host's name and the process's number.
    public let name: String
    /// How many transfers it runs at once.
    public let slotCount: Int
    /// The number of lines that it has.
    public let claimedCount: Int
    /// The number of lines that it has recorded.
    public let endedCount: Int
    /// The seconds since it gave its last sign.
    public let secondsSilent: Double
    /// When it began.
    public let started: Date
}

/// An origin of a batch, as it stood at one moment.
public struct FleetOrigin: Sendable, Hashable {
    /// Scheme, host and port as the lines have them; empty for lines whose URL is known later only.
    public let origin: String
    /// The number of lines of the batch.
    public let lineCount: Int
    /// The number of those that could be sent now.
    public let readyCount: Int
    /// The seconds until the origin is asked again; nil when it is not held.
    public let secondsHeld: Double?
}
