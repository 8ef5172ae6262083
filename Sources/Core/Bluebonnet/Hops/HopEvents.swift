// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Reports what happens in the hops of one hop sequence to event monitors. Exists only if there are monitors. Network
/// thread only.
final class HopEvents {
    private let track: EventTrack
    private var begunAt: UInt64 = 0
    private var sentByteCount: Int64 = 0
    private var receivedByteCount: Int64 = 0
    /// Whether the hop has begun and its end was not reported.
    private var isOpen = false
    /// Nil once a part of the body was not decoded.
    private var decodedByteCount: Int64? = 0
    private var isBodySent = false
    /// The connecting phases of the hop, which are reported once.
    private var hasConnected = false
    /// The last head of the hop.
    private var head: ResponseHead?

    init(_ track: EventTrack) { self.track = track }

    /// Reports that a transfer begins.
    func beginHop(_ request: TransferRequest, to origin: Origin, attempt: Int, now: UInt64) {
        begunAt = now
        (sentByteCount, receivedByteCount, isBodySent, hasConnected, head) = (0, 0, false, false, nil)
        (decodedByteCount, isOpen) = (0, true)
        track.recordHop({ HopRequestFacts(request) }, to: origin, attempt: attempt, at: now)
    }

    /// Records that the request is sent from its start again, over another connection.
    func startAgain() { (sentByteCount, isBodySent, hasConnected) = (0, false, false) }

    /// - Parameter metrics: read only for a new connection.
    func connected(_ use: ConnectionUseFacts, _ metrics: TransferMetrics, bodyByteCount: Int64) {
        if !use.isReused { reportConnecting(metrics) }
        hasConnected = true
        isBodySent = bodyByteCount == 0
        if !track.kinds.isDisjoint(with: .hops) {
            track.record(.connectionAcquired(RequestEvent.ConnectionUse(use)))
        }
    }

    func sent(_ part: SentPart) {
        switch part {
        case .head: if track.kinds.contains(.requestHeadSent) { track.record(.requestHeadSent) }
        case .endOfBody: reportBodySent()
        }
    }

    private func reportConnecting(_ metrics: TransferMetrics) {
        guard !hasConnected else { return }
        let now = track.clock.now()
        func record(_ step: RequestEvent.Kind, at instant: UInt64) { track.record(step, at: min(instant, now)) }
        var instant = begunAt
        if metrics.nameLookup > 0 {
            instant += metrics.nameLookup
            record(.nameLookedUp(.nanoseconds(metrics.nameLookup)), at: instant)
        }
        if metrics.connect > 0 {
            instant += metrics.connect
            record(.connected(.nanoseconds(metrics.connect)), at: instant)
        }
        if let information = metrics.tlsInformation {
            record(.tlsEstablished(information.value, .nanoseconds(metrics.tls)), at: instant + metrics.tls)
        }
    }

    /// - Parameter expected: the length of the body; -1 if it is not known.
    func sent(_ byteCount: Int, of expected: Int64) {
        sentByteCount += Int64(byteCount)
        if sentByteCount == expected { reportBodySent() }
    }

    private func reportBodySent() {
        guard !isBodySent else { return }
        isBodySent = true
        track.record(.requestBodySent(byteCount: sentByteCount))
    }

    func received(_ head: ResponseHead) {
        self.head = head
        guard !track.kinds.isDisjoint(with: [.firstByte, .responseHead]) else { return }
        let now = track.clock.now()
        track.record(
            .firstByte(.nanoseconds(now - min(begunAt, now))), .responseHead(RequestEvent.HopResponseHead(head)),
            at: now)
    }

    /// - Parameter decodedByteCount: the bytes after decoding; nil if the body is not decoded.
    func received(byteCount: Int, decodedByteCount count: Int?) {
        receivedByteCount += Int64(byteCount)
        if let count { decodedByteCount? += Int64(count) } else { decodedByteCount = nil }
    }

    /// The length from which progress is reported.
    private static let longBody: Int64 = 65_536

    /// - Parameter expected: the length of the body; -1 if it is not known.
    func progress(_ direction: RequestEvent.BodyProgress.Direction, _ total: Int64, of expected: Int64) {
        guard max(total, expected) >= Self.longBody, track.kinds.contains(.bodyProgress) else { return }
        track.record(
            .bodyProgress(
                RequestEvent.BodyProgress(
                    direction, byteCount: total, expectedByteCount: expected >= 0 ? expected : nil)))
    }

    /// Reports that the same request is sent again, if the response asked for a credential.
    func repeated() {
        guard let head, [401, 407].contains(head.statusCode) else { return }
        track.record(.challengeAnswered(status: head.statusCode))
    }

    /// Reports that a redirect is followed.
    func redirected(to target: URL) {
        guard let head else { return }
        track.record(.redirectDecided(status: head.statusCode, target: target.absoluteString))
    }

    /// Reports the end of the transfer. A second end is ignored.
    ///
    /// - Parameters:
    ///   - undecidedByteCount: the length after decoding of a response that may be retried.
    ///   - instant: nil means now.
    func endHop(
        _ reason: RequestEvent.HopEnd.Reason, _ metrics: TransferMetrics,
        undecidedByteCount: @autoclosure () -> Int64? = nil, at instant: UInt64? = nil
    ) {
        guard isOpen else { return }
        isOpen = false
        if !metrics.isReused { reportConnecting(metrics) }
        guard !track.kinds.isDisjoint(with: [.hopEnded, .responseBodyReceived]) else { return }
        let now = instant ?? track.clock.now()
        let isCoded = head?.contentCodings.isEmpty == false
        let end = RequestEvent.HopEnd(
            reason, statusCode: head?.statusCode, receivedByteCount: receivedByteCount,
            decodedByteCount: isCoded ? undecidedByteCount() ?? decodedByteCount : receivedByteCount,
            sentByteCount: sentByteCount, phases: RequestEvent.HopPhases(metrics, elapsed: now - min(begunAt, now)))
        track.record(.hopEnded(end), at: now)
    }
}

@available(*, unavailable)
extension HopEvents: Sendable {}

extension RequestEvent.HopEnd.Reason {
    init(_ error: NetworkingError?) {
        guard let error else {
            self = .complete
            return
        }
        self = error.code == .cancelled ? .cancelled : .failed(error.code)
    }
}

extension RequestEvent.HopPhases {
    /// - Parameter elapsed: the time of the whole transfer, in nanoseconds.
    init(_ metrics: TransferMetrics, elapsed: UInt64) {
        var shares = TimeShares()
        shares.addTransfer(
            elapsed, nameLookup: metrics.nameLookup, connect: metrics.connect, tls: metrics.tls,
            firstByte: metrics.firstByte)
        self.init(
            Nanoseconds(
                nameLookup: shares[.nameLookup], connect: shares[.connect], tls: shares[.tls],
                waiting: shares[.waiting], receiving: shares[.receiving]))
    }
}

extension HopRequestFacts {
    init(_ request: TransferRequest) {
        self.init(
            method: request.method, url: request.urlText, fields: request.headers,
            bodyByteCount: request.body.isEmpty ? 0 : request.body.byteCount)
    }
}
