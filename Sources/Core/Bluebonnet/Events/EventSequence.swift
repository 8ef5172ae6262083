// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides which events of one operation are reported, so that they always come in pairs. A value without a clock.
///
/// A step that ends something which has not begun is left out. A step that begins something, or finishes the operation,
/// first ends what is still open and cannot overlap with it.
struct EventSequence {
    typealias Kind = RequestEvent.Kind

    private(set) var isQueued = false
    private(set) var isFinished = false
    /// The number of the hop.
    private(set) var hop = 0
    private var isAdmitted = false
    private var isPaused = false
    private var isHopOpen = false
    /// The kind of the wait that has begun and not ended.
    private(set) var openWait: WaitReason.Kind?

    /// Whether there is a hop that has begun and not ended.
    var hasOpenHop: Bool { isHopOpen }

    /// Applies a step, and calls `report` with the number of the hop for each event to report, in order.
    mutating func apply(_ step: Kind, report: (Int, Kind) -> Void) {
        guard isQueued != step.isQueued, !isFinished else { return }
        switch step {
        case .queued: isQueued = true
        case .admitted:
            if isAdmitted { return }
            isAdmitted = true
        case .waitBegan(let reason):
            endWait(report)
            openWait = reason.kind
        case .waitEnded: return endWait(report)
        case .paused:
            if isPaused { return }
            isPaused = true
        case .resumed:
            guard isPaused else { return }
            isPaused = false
        case .hopBegan:
            endHop(.restarted, report)
            endWait(report)
            hop += 1
            isHopOpen = true
        case .hopEnded:
            guard isHopOpen else { return }
            isHopOpen = false
        case .finished:
            endHop(.cancelled, report)
            endWait(report)
            if isPaused { report(hop, .resumed) }
            (isPaused, isFinished) = (false, true)
        case .nameLookedUp, .connected, .tlsEstablished, .connectionAcquired, .requestBodySent, .firstByte,
            .responseHead, .bodyProgress:
            guard isHopOpen else { return }
        case .cacheAnswered, .redirectDecided, .challengeAnswered, .retryDecided: break
        case .governorChanged, .connectionOpened, .connectionIdle, .connectionClosed, .eventsDropped: return
        }
        report(hop, step)
    }

    private mutating func endWait(_ report: (Int, Kind) -> Void) {
        guard let kind = openWait.take() else { return }
        report(hop, .waitEnded(kind))
    }

    private mutating func endHop(_ reason: RequestEvent.HopEnd.Reason, _ report: (Int, Kind) -> Void) {
        guard isHopOpen else { return }
        isHopOpen = false
        report(hop, .hopEnded(RequestEvent.HopEnd(reason)))
    }
}

extension RequestEvent.Kind {
    fileprivate var isQueued: Bool { if case .queued = self { true } else { false } }
}
