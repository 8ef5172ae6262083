// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Dispatch
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(1))) struct ProgressDisplayTests {
    /// A terminal that blocks the first write until the test lets it continue.
    private final class HeldTerminal: Sendable {
        private let text = Synchronization.Mutex("")
        private let hasBegun = Gate()
        private let mayGoOn = Gate()

        var contents: String { text.withLock { $0 } }

        func write(_ new: String) {
            if contents.isEmpty {
                text.withLock { $0 = "-" }
                hasBegun.open()
                mayGoOn.waitBlocking()
            }
            text.withLock { $0 += new }
        }

        /// Returns a display whose write to this terminal is blocked.
        func display() -> ProgressDisplay {
            let display = ProgressDisplay(.bars) { self.write($0) }
            display.show {
                let snapshot = RequestLineRunner.Snapshot(
                    totalCount: 1, counts: [:], receivedByteCount: 0, largestTransfers: [])
                return (snapshot, true)
            }
            hasBegun.waitBlocking()
            return display
        }

        func goOn() { mayGoOn.open() }
    }

    @Test func cursorIsRestoredWhileBarsAreDrawn() {
        let terminal = HeldTerminal()
        let display = terminal.display()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { terminal.goOn() }
        display.restoreTerminal(patience: .seconds(60))
        #expect(terminal.contents.hasPrefix("-\u{1B}[?25l"))
        #expect(terminal.contents.hasSuffix("\u{1B}[?25h"))
        display.finish("")
    }

    @Test func blockedTerminalIsGivenUp() {
        let terminal = HeldTerminal()
        let display = terminal.display()
        display.restoreTerminal(patience: .milliseconds(10))
        #expect(terminal.contents == "-")
        terminal.goOn()
        display.finish("")
    }
}
