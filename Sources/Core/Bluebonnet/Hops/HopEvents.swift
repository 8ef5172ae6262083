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
    private var isBodySent = false
    /// The connecting phases of the hop, which are reported once.
    private var hasConnected = false
    /// The last head of the hop.
    private var head: ResponseHead?

    init(_ track: EventTrack) { self.track = track }

    func beginHop() {
        begunAt = MonotonicClock.now()
        (sentByteCount, receivedByteCount, isBodySent, hasConnected, head) = (0, 0, false, false, nil)
    }

    /// Records that the request is sent from its start again, over another connection.
    func startAgain() { (sentByteCount, isBodySent, hasConnected) = (0, false, false) }

    func connected(_ use: ConnectionUseFacts, _ metrics: TransferMetrics, bodyByteCount: Int64) {
        if !use.isReused { reportConnecting(metrics) }
        hasConnected = true
        let connection = RequestEvent.ConnectionInformation(use)
        track.record(
            .connectionAcquired(
                RequestEvent.ConnectionUse(
                    connection, isReused: use.isReused, idleTime: use.idleTime.map(Duration.nanoseconds))))
        if bodyByteCount == 0 { isBodySent = true }
    }

    private func reportConnecting(_ metrics: TransferMetrics) {
        guard !hasConnected else { return }
        var instant = begunAt
        if metrics.nameLookup > 0 {
            instant += metrics.nameLookup
            track.record(.nameLookedUp(.nanoseconds(metrics.nameLookup)), at: instant)
        }
        if metrics.connect > 0 {
            instant += metrics.connect
            track.record(.connected(.nanoseconds(metrics.connect)), at: instant)
        }
        if let information = metrics.tlsInformation {
            track.record(.tlsEstablished(information.value, .nanoseconds(metrics.tls)), at: instant + metrics.tls)
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
        let now = MonotonicClock.now()
        track.record(
            .firstByte(.nanoseconds(now - begunAt)), .responseHead(RequestEvent.HopResponseHead(head)), at: now)
    }

    func received(byteCount: Int) { receivedByteCount += Int64(byteCount) }

    /// The length from which progress is reported.
    private static let longBody: Int64 = 65_536

    /// - Parameter expected: the length of the body; -1 if it is not known.
    func progress(_ direction: RequestEvent.BodyProgress.Direction, _ total: Int64, of expected: Int64) {
        guard max(total, expected) >= Self.longBody else { return }
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
    func endHop(_ reason: RequestEvent.HopEnd.Reason, _ metrics: TransferMetrics) {
        guard track.hasOpenHop else { return }
        if !metrics.isReused { reportConnecting(metrics) }
        if reason == .complete, sentByteCount > 0 { reportBodySent() }
        let now = MonotonicClock.now()
        let end = RequestEvent.HopEnd(
            reason, statusCode: head?.statusCode, receivedByteCount: receivedByteCount, sentByteCount: sentByteCount,
            phases: RequestEvent.HopPhases(metrics, elapsed: now - begunAt))
        track.record(.hopEnded(end), at: now)
    }
}

@available(*, unavailable)
extension HopEvents: Sendable {}

extension RequestEvent.ConnectionInformation {
    init(_ use: ConnectionUseFacts) {
        self.init(
            number: use.number, peerAddress: use.peerAddress, peerPort: use.peerPort, openedAt: use.openedAt)
    }
}

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
            nameLookup: .nanoseconds(shares[.nameLookup]), connect: .nanoseconds(shares[.connect]),
            tls: .nanoseconds(shares[.tls]), waiting: .nanoseconds(shares[.waiting]),
            receiving: .nanoseconds(shares[.receiving]))
    }
}

extension RequestEvent.HopRequestHead {
    init(_ request: TransferRequest) {
        self.init(
            method: request.method, url: request.urlText, fields: request.headers,
            bodyByteCount: request.body.isEmpty ? 0 : request.body.byteCount)
    }
}
