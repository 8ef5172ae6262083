// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

extension NetworkThread {
    /// A turn of the network thread: the period between two times at which the thread slept or gave way to other
    /// sources of its run loop.
    public struct Turn: Sendable, Equatable {
        /// The duration of the whole turn.
        public let duration: Duration
        /// The stage of the turn's longest step: `sockets`, `reading`, `work`, `processing`, `starting`, `other`,
        /// `deadlines` or `handover`.
        public let stage: String
        /// The file that submitted the work of the step, in the format of `#fileID`, or the type whose method was
        /// called.
        public let source: String
        /// The duration of the step.
        public let stageDuration: Duration
    }

    /// Whether turns of the network thread are recorded in `longestTurn`. Default: true in debug builds of the
    /// library, false in other builds. Recording reads the clock once for each step. Without recording, a turn costs
    /// one additional comparison.
    public static var recordsTurns: Bool {
        get { turns.isOn.load(ordering: .relaxed) }
        set { turns.isOn.store(newValue, ordering: .relaxed) }
    }

    /// The longest turn since recording began or `forgetLongestTurn()` was called; nil if no turn was recorded. During
    /// a turn, no transfer makes progress, so a long turn delays every transfer.
    public static var longestTurn: Turn? { turns.longest.withLock { $0 } }

    /// Forgets the longest turn, for example before a measurement. The current turn may still be recorded.
    public static func forgetLongestTurn() {
        turns.longest.withLock { $0 = nil }
        shared.submit { shared.eventLoop.turns.forget() }
    }

    /// The state of the recording that other threads read.
    final class RecordedTurns: Sendable {
        #if DEBUG
            let isOn = Atomic(true)
        #else
            let isOn = Atomic(false)
        #endif
        let longest = Mutex<Turn?>(nil)
    }

    static let turns = RecordedTurns()

    /// Runs a turn, and records it if recording is on.
    static func recordTurn(of loop: EventLoop) {
        loop.recordsTurns = recordsTurns
        loop.runTurn()
        guard loop.recordsTurns, let longest = loop.turns.newLongest() else { return }
        turns.longest.withLock { $0 = longest }
    }
}
