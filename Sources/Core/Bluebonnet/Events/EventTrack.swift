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

    private let list: EventChannelList
    let clock: OperationClock
    private let state: Mutex<State>

    /// - Parameter name: the name of the operation.
    init(_ list: EventChannelList, _ clock: OperationClock, name: @autoclosure () -> String?) {
        (self.list, self.clock) = (list, clock)
        let subject = EventSubject(operation: EventCounters.nextOperation(), name: name())
        state = Mutex(State(subject: Box(subject)), rank: .events)
    }

    /// The kinds of events that at least one monitor wants.
    var kinds: RequestEvent.Kinds { list.kinds }

    /// Reports a step, after the ends of what cannot overlap with it.
    ///
    /// - Parameter instant: when it happened; nil means now.
    func record(_ step: RequestEvent.Kind, at instant: UInt64? = nil) {
        state.withLock { state in
            let instant = instant ?? clock.now()
            if state.sequence.applyAlone(step) {
                list.pass(RequestEvent(state.subject, instant: instant, step))
            } else {
                report(step, at: instant, &state)
            }
        }
    }

    /// Reports two steps that happened together.
    func record(_ first: RequestEvent.Kind, _ second: RequestEvent.Kind, at instant: UInt64) {
        state.withLock { state in
            if state.sequence.applyAlone(first) {
                if state.sequence.applyAlone(second) {
                    return list.pass(
                        RequestEvent(state.subject, instant: instant, first),
                        RequestEvent(state.subject, instant: instant, second))
                }
                list.pass(RequestEvent(state.subject, instant: instant, first))
            } else {
                report(first, at: instant, &state)
            }
            report(second, at: instant, &state)
        }
    }

    /// Reports that a transfer begins.
    ///
    /// - Parameter request: called if a monitor wants the event.
    func recordHop(_ request: () -> HopRequestFacts, to origin: Origin, attempt: Int, at instant: UInt64) {
        state.withLock { state in
            let (before, hop) = (state.subject, state.sequence.hop + 1)
            let subject = Box(
                EventSubject(
                    operation: before.value.operation, name: before.value.name, attempt: attempt, hop: hop,
                    knownOrigin: origin, request: kinds.contains(.hopBegan) ? request() : nil))
            state.sequence.apply(.hopBegan(RequestEvent.HopRequestHead(subject))) {
                list.pass(RequestEvent($0 == hop ? subject : before, instant: instant, $1))
            }
            state.subject = subject
        }
    }

    /// Ends a hop whose end no monitor wants.
    func endUnreportedHop() { state.withLock { $0.sequence.endUnreportedHop() } }

    /// Reports that waiting begins, has another reason, or has ended.
    ///
    /// - Parameters:
    ///   - kind: nil if the operation does not wait.
    ///   - reason: called if the kind has changed.
    func recordWait(_ kind: WaitReason.Kind?, reason: () -> WaitReason?) {
        state.withLock { state in
            guard kind != state.sequence.openWait else { return }
            if kind != nil, let reason = reason() {
                report(.waitBegan(reason), at: clock.now(), &state)
            } else if let open = state.sequence.openWait {
                report(.waitEnded(open), at: clock.now(), &state)
            }
        }
    }

    /// Reports the end of an operation that was released without an end.
    deinit {
        if !state.withLock({ $0.sequence.isFinished }) {
            record(.finished(RequestEvent.OperationEnd(errorCode: .cancelled)))
        }
    }

    /// Reports the end of the operation.
    ///
    /// - Parameter end: called if a monitor wants the event.
    func finish(_ end: @autoclosure () -> RequestEvent.OperationEnd) {
        record(.finished(kinds.contains(.finished) ? end() : RequestEvent.OperationEnd()))
    }

    private func report(_ step: RequestEvent.Kind, at instant: UInt64, _ state: inout State) {
        let subject = state.subject
        state.sequence.apply(step) { list.pass(RequestEvent(subject, instant: instant, $1)) }
    }
}
