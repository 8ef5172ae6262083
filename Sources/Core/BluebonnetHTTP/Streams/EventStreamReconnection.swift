// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The reconnections of one stream of server-sent events (HTML standard, 9.2.3). A value without a clock; the caller
/// waits and sends the requests.
package struct EventStreamReconnection: Sendable, Hashable {
    /// The outcome of one request whose response was not refused.
    package enum Outcome: Sendable, Hashable {
        /// The response is complete.
        case ended
        /// There was no response, or it was cut.
        case failed(isTransient: Bool)
    }

    package enum Decision: Sendable, Hashable {
        /// Send the request again after the wait, with the fields of `requestFields`.
        case reconnect(after: Duration)
        case stop(StopReason)
    }

    package enum StopReason: Sendable, Hashable {
        /// Status 204: the server ends the reconnections.
        case noContent
        /// A status other than 200 and 204.
        case unacceptableStatus(Int)
        /// The type of the response is not `text/event-stream`; nil if it has no type.
        case unacceptableType(String?)
        /// The stream is complete, and the policy permits no reconnection.
        case ended
        /// The stream has failed, and the policy permits no reconnection.
        case neverReconnects
        /// This number of consecutive reconnections has brought no event.
        case attemptsExhausted(Int)
        /// The same request would fail again.
        case permanentFailure
        /// The identifier of the last event has a control character, which a header field must not contain. A request
        /// without the identifier would continue at another event.
        case unsendableEventID
    }

    package static let mediaType = "text/event-stream"
    /// The wait before reconnections after failures, even if the server's `retry` is shorter.
    private static let minimumBackoff = Duration.seconds(1)
    /// The longest `retry` of a server that is honoured.
    private static let maximumServerDelay = Duration.seconds(86_400)

    /// The identifier of the last event; empty if there is none.
    package private(set) var lastEventID: String
    /// The number of reconnections since the last event.
    package private(set) var attemptCount = 0

    private let policy: EventStreamPolicy
    private var serverDelay: Duration?

    package init(policy: EventStreamPolicy, lastEventID: String = "") {
        (self.policy, self.lastEventID) = (policy, lastEventID)
    }

    /// The fields of the next request: `Accept`, `Cache-Control` and, after an event with an identifier,
    /// `Last-Event-ID`.
    package var requestFields: HeaderFields {
        var fields: HeaderFields = ["Accept": Self.mediaType, "Cache-Control": "no-store"]
        if !lastEventID.isEmpty { fields.add(name: "Last-Event-ID", value: lastEventID) }
        return fields
    }

    /// Returns the reason why a response ends the stream; nil for a response whose body is an event stream.
    package static func refusal(statusCode: Int, contentType: String?) -> StopReason? {
        guard statusCode != 204 else { return .noContent }
        guard statusCode == 200 else { return .unacceptableStatus(statusCode) }
        let type = contentType.map(ResponseHead.mediaType)
        return type == mediaType ? nil : .unacceptableType(type)
    }

    /// Makes the decoder of the next response.
    package func makeDecoder(byteLimit: Int = EventStreamDecoder.usualByteLimit) -> EventStreamDecoder {
        EventStreamDecoder(lastEventID: lastEventID, byteLimit: byteLimit)
    }

    /// Decides about a reconnection.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the request.
    ///   - decoder: the decoder of the response, after its last event; nil if there was no response.
    ///   - random: a random number from 0 to 1.
    package mutating func decide(after outcome: Outcome, _ decoder: EventStreamDecoder?, random: Double) -> Decision {
        if let decoder {
            lastEventID = decoder.lastEventID
            serverDelay = decoder.reconnectionTime ?? serverDelay
            if decoder.eventCount > 0 { attemptCount = 0 }
        }
        if let reason = stopReason(after: outcome) { return .stop(reason) }
        defer { attemptCount += 1 }
        return .reconnect(after: Self.lengthened(delay, random: random))
    }

    /// Returns a time that is up to 50 % longer, so that the clients of a server do not return all at once.
    ///
    /// - Parameter random: a random number from 0 to 1.
    package static func lengthened(_ wait: Duration, random: Double) -> Duration {
        wait * (1 + min(max(random, 0), 1) / 2)
    }

    private func stopReason(after outcome: Outcome) -> StopReason? {
        if outcome == .failed(isTransient: false) { return .permanentFailure }
        if let limit = policy.maximumAttemptCount, attemptCount >= limit {
            guard limit <= 0 else { return .attemptsExhausted(attemptCount) }
            return outcome == .ended ? .ended : .neverReconnects
        }
        return FieldSyntax.forbiddenByte(inValue: lastEventID.utf8) == nil ? nil : .unsendableEventID
    }

    /// The wait without its random part.
    private var delay: Duration {
        let first = serverDelay.map { min($0, Self.maximumServerDelay) } ?? max(policy.initialDelay, .zero)
        guard attemptCount > 0 else { return first }
        let limit = max(first, policy.maximumDelay)
        var delay = max(first, Self.minimumBackoff)
        for _ in 0..<attemptCount where delay < limit { delay *= 2 }
        return min(delay, limit)
    }
}
