// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks

/// The open connections of one server, with closures that close them from any thread.
final class ConnectionRegistry: Sendable {
    private struct State {
        var isClosed = false
        var closers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Adds a connection. A connection that is added after `closeAll()` is closed at once.
    func add(_ number: Int, close: @escaping @Sendable () -> Void) {
        let isTooLate = state.withLock { state in
            if !state.isClosed { state.closers[number] = close }
            return state.isClosed
        }
        if isTooLate { close() }
    }

    /// Removes a closed connection.
    func remove(_ number: Int) {
        state.withLock { $0.closers[number] = nil }
    }

    /// Closes all connections, including later ones.
    func closeAll() {
        let closers = state.withLock { state in
            state.isClosed = true
            return state.closers.values.map { $0 }
        }
        for close in closers { close() }
    }
}
