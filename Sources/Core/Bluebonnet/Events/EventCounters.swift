// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The numbers of the process that events need. Any thread.
enum EventCounters {
    private static let operation = Atomic(0)
    private static let connection = Atomic(0)
    private static let kinds = Atomic<UInt32>(0)

    /// Returns the number of a monitored operation, from 1.
    static func nextOperation() -> Int { operation.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Returns the number of a connection, from 1.
    static func nextConnection() -> Int { connection.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The kinds of events that at least one monitor in use wants.
    static var wantedKinds: RequestEvent.Kinds {
        get { RequestEvent.Kinds(rawValue: kinds.load(ordering: .relaxed)) }
        set { kinds.store(newValue.rawValue, ordering: .relaxed) }
    }
}
