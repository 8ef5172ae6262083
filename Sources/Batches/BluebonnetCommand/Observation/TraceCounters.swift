// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Counts operations with a running hop, waiting operations, and operations that wait for an origin on hold, for the
/// counters of a trace. At most one reading per millisecond.
struct TraceCounters: Sendable {
    private enum State: Int { case inFlight, waiting, onHold }

    private static let shortest: UInt64 = 1_000_000

    private var states: [Int: State] = [:]
    private var counts = [0, 0, 0]
    private var written = [0, 0, 0]
    private var lastInstant: UInt64?

    /// Counts an event. Returns the values to write; nil if they have not changed, or were written just before.
    mutating func receive(_ event: RequestEvent, at instant: UInt64) -> (values: [(String, Int)], instant: UInt64)? {
        guard let number = event.operation else { return nil }
        switch event.kind {
        case .queued(let reason): set(number, Self.state(reason?.kind))
        case .waitBegan(let reason): set(number, Self.state(reason.kind))
        case .hopBegan: set(number, .inFlight)
        case .waitEnded, .hopEnded, .finished: set(number, nil)
        default: return nil
        }
        // All operations that have ended are shown at once.
        let isDue = states.isEmpty || lastInstant.map { instant >= $0 + Self.shortest } ?? true
        guard counts != written, isDue else { return nil }
        (written, lastInstant) = (counts, instant)
        return (Array(zip(["in-flight", "waiting", "on-hold"], counts)), instant)
    }

    private mutating func set(_ number: Int, _ state: State?) {
        if let former = states[number] { counts[former.rawValue] -= 1 }
        if let state { counts[state.rawValue] += 1 }
        states[number] = state
    }

    private static func state(_ kind: WaitReason.Kind?) -> State { kind == .hold ? .onHold : .waiting }
}
