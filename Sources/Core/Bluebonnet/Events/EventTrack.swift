// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// Reports the events of one operation to its monitors. Any thread. An operation without monitors has no track.
final class EventTrack: Sendable {
    private struct State: Sendable {
        var sequence = EventSequence()
        var origin: Origin?
    }

    let number: Int
    private let name: String?
    private let channels: [EventChannel]
    private let state = Mutex(State(), rank: .events)

    /// Makes a track; nil without monitors.
    ///
    /// - Parameter name: the name of the operation.
    init?(_ channels: [EventChannel], name: @autoclosure () -> String?) {
        guard !channels.isEmpty else { return nil }
        (self.channels, self.name) = (channels, name())
        number = EventCounters.nextOperation()
    }

    /// Reports a step, after the ends of what cannot overlap with it.
    ///
    /// - Parameters:
    ///   - instant: when it happened; nil means now.
    ///   - hopEnd: the end of an open hop, for a step that ends it without being its end.
    func record(
        _ step: RequestEvent.Kind, at instant: UInt64? = nil,
        hopEnd: RequestEvent.HopEnd = RequestEvent.HopEnd(.cancelled)
    ) {
        state.withLock { state in report(step, at: instant, hopEnd: hopEnd, &state) }
    }

    /// Reports that a transfer begins.
    func recordHop(_ head: RequestEvent.HopRequestHead, to origin: Origin, attempt: Int) {
        state.withLock { state in
            state.sequence.setAttempt(attempt)
            state.origin = origin
            report(.hopBegan(head), at: nil, hopEnd: RequestEvent.HopEnd(.restarted), &state)
        }
    }

    /// Reports that waiting begins, has another reason, or has ended.
    ///
    /// - Parameters:
    ///   - kind: nil if the operation does not wait.
    ///   - reason: called if the kind has changed.
    func recordWait(_ kind: WaitReason.Kind?, reason: () -> WaitReason?) {
        state.withLock { state in
            guard kind != state.sequence.openWait else { return }
            if kind != nil, let reason = reason() {
                report(.waitBegan(reason), at: nil, hopEnd: RequestEvent.HopEnd(.cancelled), &state)
            } else if let open = state.sequence.openWait {
                report(.waitEnded(open), at: nil, hopEnd: RequestEvent.HopEnd(.cancelled), &state)
            }
        }
    }

    /// Reports the end of an operation that was released without an end.
    deinit { record(.finished(RequestEvent.OperationEnd(errorCode: .cancelled))) }

    /// Whether a hop has begun and not ended.
    var hasOpenHop: Bool { state.withLock { $0.sequence.hasOpenHop } }

    private func report(
        _ step: RequestEvent.Kind, at instant: UInt64?, hopEnd: RequestEvent.HopEnd, _ state: inout State
    ) {
        let now = MonotonicClock.now()
        let happened = min(instant ?? now, now)
        var date = Date()
        if happened < now { date.addTimeInterval(-Double(now - happened) / 1e9) }
        let (origin, attempt) = (state.origin, state.sequence.attempt)
        state.sequence.apply(step, hopEnd: hopEnd) { hop, kind in
            let event = RequestEvent(
                operation: number, name: name, attempt: attempt, hop: hop, origin: origin, instant: happened,
                date: date, kind)
            for channel in channels { channel.append(event) }
        }
    }
}
