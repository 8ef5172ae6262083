// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// Reads the state of a fleet again and again over one connection, for displays. To be used for one call at a time.
package actor StatusReader {
    private let connection: KeptConnection
    private let reading = ReadingState()

    /// - Parameter store: the store, as in `Fleet`.
    package init(store: String) { connection = KeptConnection(store) }

    /// The number of statements that this reader has sent for states.
    package var statementCount: Int { reading.count }

    /// Reads the state with one statement.
    ///
    /// - Parameter names: the batches with details. Names that are no batches are left out.
    /// - Throws: `FleetError`. The next call opens a new connection.
    package func read(details names: [String]) async throws(FleetError) -> FleetStatus {
        try await connection.run { [reading] connection throws(FleetError) in
            try reading.read(names, connection)
        }
    }

    /// The progress of the reading, which moves between the threads of the calls.
    private final class ReadingState: Sendable {
        private struct State {
            var reading = StatusReading()
            var count = 0
            var checked: ObjectIdentifier?
        }

        private let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }

        func read(_ names: [String], _ connection: PostgreSQLConnection) throws(FleetError) -> FleetStatus {
            var now = state.withLock { $0 }
            if now.checked != ObjectIdentifier(connection) {
                try FleetSchema.check(connection)
                try connection.forceIndexScans()
            }
            now.checked = ObjectIdentifier(connection)
            now.count += 1
            let status = try now.reading.read(names, connection)
            state.withLock { $0 = now }
            return status
        }
    }
}
