// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks

/// How to close each open connection of one server at once, from any thread.
final class ConnectionRegistry: Sendable {
    private struct State {
        var isClosed = false
        var closers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Remembers a connection. One that comes after `closeAll` is closed right away.
    func add(_ number: Int, close: @escaping @Sendable () -> Void) {
        let isTooLate = state.withLock { state in
            if !state.isClosed { state.closers[number] = close }
            return state.isClosed
        }
        if isTooLate { close() }
    }

    /// Forgets a connection that has closed.
    func remove(_ number: Int) {
        state.withLock { $0.closers[number] = nil }
    }

    /// Closes all connections, those to come included.
    func closeAll() {
        let closers = state.withLock { state in
            state.isClosed = true
            return state.closers.values.map { $0 }
        }
        for close in closers { close() }
    }
}
