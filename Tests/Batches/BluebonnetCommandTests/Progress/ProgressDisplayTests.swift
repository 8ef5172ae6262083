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
    /// A terminal that does not take the first thing that is drawn on it before it may.
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

        /// Gives a display that somebody is writing to this terminal for.
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

    @Test func theCursorComesBackAlthoughBarsAreBeingDrawn() {
        let terminal = HeldTerminal()
        let display = terminal.display()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { terminal.goOn() }
        display.restoreTerminal(patience: .seconds(60))
        #expect(terminal.contents.hasPrefix("-\u{1B}[?25l"))
        #expect(terminal.contents.hasSuffix("\u{1B}[?25h"))
        display.finish("")
    }

    @Test func aTerminalThatTakesNothingIsGivenUp() {
        let terminal = HeldTerminal()
        let display = terminal.display()
        display.restoreTerminal(patience: .milliseconds(10))
        #expect(terminal.contents == "-")
        terminal.goOn()
        display.finish("")
    }
}
