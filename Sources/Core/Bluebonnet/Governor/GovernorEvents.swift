// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The parts of an origin's state whose changes are reported to event monitors. A value.
struct GovernorFacts: Equatable {
    let backOffEnd: UInt64
    let rate: Double?
    let breakerEnd: UInt64?
    let isProbing: Bool

    init(_ state: OriginState) {
        (backOffEnd, rate) = (state.backOff.until, state.learned?.perSecond)
        (breakerEnd, isProbing) = (state.breakerEnd, state.isProbing)
    }
}

extension GovernedOrigin {
    /// Reports to all monitors what has changed.
    func report(from before: GovernorFacts, to after: GovernorFacts, holdStatus: Int?) {
        let subject = Box(EventSubject(knownOrigin: origin))
        func send(_ change: RequestEvent.GovernorChange) {
            EventChannels.send(.governorChanged, .governorChanged(change), subject, at: MonotonicClock.now())
        }
        if after.backOffEnd > before.backOffEnd {
            send(.hold(until: date(after.backOffEnd), status: holdStatus))
        }
        if let rate = after.rate, rate != before.rate { send(.rate(perSecond: rate)) }
        if let end = after.breakerEnd, end != before.breakerEnd { send(.breakerOpened(until: date(end))) }
        if after.isProbing, !before.isProbing { send(.breakerHalfOpened) }
        if after.breakerEnd == nil, before.breakerEnd != nil { send(.breakerClosed) }
    }
}
