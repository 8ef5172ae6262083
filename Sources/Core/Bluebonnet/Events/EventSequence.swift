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
    /// Whether the head of the request was reported as sent over the hop's current connection.
    private var isHeadSent = false
    private var isBodySent = false
    /// The kind of the wait that has begun and not ended.
    private(set) var openWait: WaitReason.Kind?

    /// Ends a hop whose end no monitor wants.
    mutating func endUnreportedHop() { isHopOpen = false }

    /// Applies a step if nothing else has to be reported with it. Returns false, without a change, if `apply` has to
    /// decide.
    mutating func applyAlone(_ step: Kind) -> Bool {
        guard isQueued, !isFinished else { return false }
        switch step {
        case .admitted:
            guard !isAdmitted else { return false }
            isAdmitted = true
        case .connectionAcquired:
            guard isHopOpen else { return false }
            (isHeadSent, isBodySent) = (false, false)
        case .requestHeadSent:
            guard isHopOpen, !isHeadSent else { return false }
            isHeadSent = true
        case .firstByte, .responseHead: return isHopOpen && isHeadSent
        case .finished:
            guard !isHopOpen, openWait == nil, !isPaused else { return false }
            isFinished = true
        default: return false
        }
        return true
    }

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
            (isHopOpen, isHeadSent, isBodySent) = (true, false, false)
        case .hopEnded(let end):
            guard isHopOpen else { return }
            isHopOpen = false
            if end.reason == .complete {
                sendHead(report)
                report(
                    hop,
                    .responseBodyReceived(
                        byteCount: end.receivedByteCount, decodedByteCount: end.decodedByteCount))
            }
        case .finished:
            endHop(.cancelled, report)
            endWait(report)
            if isPaused { report(hop, .resumed) }
            (isPaused, isFinished) = (false, true)
        case .connectionAcquired:
            guard isHopOpen else { return }
            (isHeadSent, isBodySent) = (false, false)
        case .requestHeadSent:
            guard isHopOpen, !isHeadSent else { return }
            isHeadSent = true
        case .requestBodySent:
            guard isHopOpen, !isBodySent else { return }
            sendHead(report)
            isBodySent = true
        case .firstByte, .responseHead:
            guard isHopOpen else { return }
            sendHead(report)
        case .nameLookedUp, .connected, .tlsEstablished, .bodyProgress:
            guard isHopOpen else { return }
        case .cacheAnswered, .redirectDecided, .challengeAnswered, .retryDecided: break
        case .responseBodyReceived: return  // a part of the hop's end
        case .governorChanged, .connectionOpened, .connectionIdle, .connectionClosed, .eventsDropped: return
        }
        report(hop, step)
    }

    private mutating func endWait(_ report: (Int, Kind) -> Void) {
        guard let kind = openWait.take() else { return }
        report(hop, .waitEnded(kind))
    }

    /// A body and a response come after the head, whatever was noticed of it.
    private mutating func sendHead(_ report: (Int, Kind) -> Void) {
        if isHeadSent { return }
        isHeadSent = true
        report(hop, .requestHeadSent)
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
