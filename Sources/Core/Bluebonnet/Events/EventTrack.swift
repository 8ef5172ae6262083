// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// Reports the events of one operation to its monitors. Any thread. An operation without monitors has no track.
final class EventTrack: Sendable {
    private struct State: Sendable {
        var sequence = EventSequence()
        /// The subject of the next event.
        var subject: Box<EventSubject>
    }

    private let channels: [EventChannel]
    private let state: Mutex<State>

    /// Makes a track; nil without monitors.
    ///
    /// - Parameter name: the name of the operation.
    init?(_ channels: [EventChannel], name: @autoclosure () -> String?) {
        guard !channels.isEmpty else { return nil }
        self.channels = channels
        let subject = EventSubject(operation: EventCounters.nextOperation(), name: name())
        state = Mutex(State(subject: Box(subject)), rank: .events)
    }

    /// Reports a step, after the ends of what cannot overlap with it.
    ///
    /// - Parameter instant: when it happened; nil means now.
    func record(_ step: RequestEvent.Kind, at instant: UInt64? = nil) {
        state.withLock { state in report(step, at: Self.instant(instant), &state) }
    }

    /// Reports two steps that happened together.
    func record(_ first: RequestEvent.Kind, _ second: RequestEvent.Kind, at instant: UInt64) {
        state.withLock { state in
            report(first, at: instant, &state)
            report(second, at: instant, &state)
        }
    }

    /// Reports that a transfer begins.
    func recordHop(_ head: RequestEvent.HopRequestHead, to origin: Origin, attempt: Int) {
        state.withLock { state in
            let (before, hop) = (state.subject, state.sequence.hop + 1)
            let subject = before.changed { subject in
                (subject.attempt, subject.hop, subject.knownOrigin) = (attempt, hop, origin)
            }
            let now = MonotonicClock.now()
            state.sequence.apply(.hopBegan(head)) { send($1, at: now, $0 == hop ? subject : before) }
            state.subject = subject
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
                report(.waitBegan(reason), at: MonotonicClock.now(), &state)
            } else if let open = state.sequence.openWait {
                report(.waitEnded(open), at: MonotonicClock.now(), &state)
            }
        }
    }

    /// Reports the end of an operation that was released without an end.
    deinit {
        if !state.withLock({ $0.sequence.isFinished }) {
            record(.finished(RequestEvent.OperationEnd(errorCode: .cancelled)))
        }
    }

    /// Whether a hop has begun and not ended.
    var hasOpenHop: Bool { state.withLock { $0.sequence.hasOpenHop } }

    private static func instant(_ instant: UInt64?) -> UInt64 {
        let now = MonotonicClock.now()
        return min(instant ?? now, now)
    }

    private func report(_ step: RequestEvent.Kind, at instant: UInt64, _ state: inout State) {
        let subject = state.subject
        state.sequence.apply(step) { send($1, at: instant, subject) }
    }

    private func send(_ kind: RequestEvent.Kind, at instant: UInt64, _ subject: Box<EventSubject>) {
        let event = RequestEvent(subject, instant: instant, kind)
        for channel in channels { channel.append(event) }
    }
}
