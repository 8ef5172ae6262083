// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// An event loop that the test turns on its own thread.
struct TurnedLoop {
    let loop = EventLoop(inbox: Inbox())

    /// Runs one turn.
    func turn() { loop.runTurn() }

    /// Runs turns until the condition holds. Waits for work between turns.
    func turn(until condition: () -> Bool) {
        while true {
            loop.runTurn()
            if condition() { return }
            var descriptor = pollfd(fd: loop.epoll, events: Int16(POLLIN), revents: 0)
            _ = poll(&descriptor, 1, -1)
        }
    }
}
