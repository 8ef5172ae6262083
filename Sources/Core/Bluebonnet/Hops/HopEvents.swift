// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Reports what happens in the hops of one hop sequence to event monitors. Exists only if there are monitors. Network
/// thread only.
final class HopEvents {
    /// The facts about the current hop.
    private struct Hop {
        var begunAt: UInt64 = 0
        var sentByteCount: Int64 = 0
        var receivedByteCount: Int64 = 0
        /// Nil once a part of the body was not decoded.
        var decodedByteCount: Int64? = 0
        var isBodySent = false
        /// The connecting phases of the hop, which are reported once.
        var hasConnected = false
        /// Whether the hop has begun and its end was not reported.
        var isOpen = false
        /// The last head of the hop.
        var head: ResponseHead?
    }

    private let track: EventTrack
    @exclusivity(unchecked) private var hop = Hop()  // changed for every piece of a body

    init(_ track: EventTrack) { self.track = track }

    /// Whether a monitor wants events for which the transport has to be observed.
    var observesConnections: Bool { !track.kinds.isDisjoint(with: Self.observed) }

    private static let observed: RequestEvent.Kinds = [
        .nameLookedUp, .connected, .tlsEstablished, .connectionAcquired, .requestHeadSent, .requestBodySent,
    ]

    /// Reports that a transfer begins.
    func beginHop(_ request: TransferRequest, to origin: Origin, attempt: Int, now: UInt64) {
        hop = Hop(begunAt: now, isOpen: true)
        track.recordHop({ HopRequestFacts(request) }, to: origin, attempt: attempt, at: now)
    }

    /// Records that the request is sent from its start again, over another connection.
    func startAgain() { (hop.sentByteCount, hop.isBodySent, hop.hasConnected) = (0, false, false) }

    /// - Parameter metrics: read only for a new connection.
    func connected(_ use: ConnectionUseFacts, _ metrics: TransferMetrics, bodyByteCount: Int64) {
        if !use.isReused { reportConnecting(metrics) }
        hop.hasConnected = true
        hop.isBodySent = bodyByteCount == 0
        track.record(.connectionAcquired(RequestEvent.ConnectionUse(use)))
    }

    func sent(_ part: SentPart) {
        switch part {
        case .head: if track.kinds.contains(.requestHeadSent) { track.record(.requestHeadSent) }
        case .endOfBody(let byteCount): reportBodySent(byteCount)
        }
    }

    private func reportConnecting(_ metrics: TransferMetrics) {
        guard !hop.hasConnected else { return }
        let now = track.clock.now()
        func record(_ step: RequestEvent.Kind, at instant: UInt64) { track.record(step, at: min(instant, now)) }
        var instant = hop.begunAt
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
        hop.sentByteCount += Int64(byteCount)
        if hop.sentByteCount == expected { reportBodySent(expected) }
    }

    private func reportBodySent(_ byteCount: Int64) {
        guard !hop.isBodySent else { return }
        hop.isBodySent = true
        track.record(.requestBodySent(byteCount: byteCount))
    }

    func received(_ head: ResponseHead) {
        hop.head = head
        guard !track.kinds.isDisjoint(with: [.firstByte, .responseHead]) else { return }
        let now = track.clock.now()
        track.record(
            .firstByte(.nanoseconds(now - min(hop.begunAt, now))), .responseHead(RequestEvent.HopResponseHead(head)),
            at: now)
    }

    /// - Parameter decodedByteCount: the bytes after decoding; nil if the body is not decoded.
    func received(byteCount: Int, decodedByteCount count: Int?) {
        hop.receivedByteCount += Int64(byteCount)
        if let count { hop.decodedByteCount? += Int64(count) } else { hop.decodedByteCount = nil }
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
        guard let head = hop.head, [401, 407].contains(head.statusCode) else { return }
        track.record(.challengeAnswered(status: head.statusCode))
    }

    /// Reports that a redirect is followed.
    func redirected(to target: URL) {
        guard let head = hop.head else { return }
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
        guard hop.isOpen else { return }
        hop.isOpen = false
        if !metrics.isReused { reportConnecting(metrics) }
        guard !track.kinds.isDisjoint(with: [.hopEnded, .responseBodyReceived]) else {
            return track.endUnreportedHop()
        }
        let now = instant ?? track.clock.now()
        let isCoded = hop.head?.contentCodings.isEmpty == false
        let end = RequestEvent.HopEnd(
            reason, statusCode: hop.head?.statusCode, receivedByteCount: hop.receivedByteCount,
            decodedByteCount: isCoded ? undecidedByteCount() ?? hop.decodedByteCount : hop.receivedByteCount,
            sentByteCount: hop.sentByteCount,
            phases: RequestEvent.HopPhases(metrics, elapsed: now - min(hop.begunAt, now)))
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
