// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The state of a connection: the bytes that were received, the bytes to send, and what it waits for. A value without a
/// socket or a clock.
struct ServedConnection {
    typealias Instant = ContinuousClock.Instant

    enum Phase {
        /// The next request is expected.
        case reading
        /// A response follows the next publication.
        case waiting(topic: String, ServedRequest, @Sendable ([UInt8]) -> ServedResponse)
        /// The connection receives events.
        case streaming(topic: String)
        /// The connection ends when its bytes are sent.
        case closing
        /// All bytes were sent, and nothing more follows. The connection is closed when the client has closed it: to
        /// close it earlier, with bytes that were not received, would make the client's system discard the response.
        case lingering
    }

    private(set) var phase = Phase.reading
    private var parser: RequestParser
    private var output: [UInt8] = []
    private var sentCount = 0
    /// Whether an event was left out, because an earlier one was still being sent.
    private(set) var hasMissedEvent = false
    /// When the connection is closed unless there is progress.
    private(set) var deadline: Instant?
    /// Since when the connection is without a complete request.
    private(set) var idleSince: Instant
    private let limits: ResponderLimits

    init(_ limits: ResponderLimits, now: Instant) {
        self.limits = limits
        parser = RequestParser(headLimit: limits.headByteCount, fieldLimit: limits.fieldCount)
        (idleSince, deadline) = (now, now + limits.headTime)
    }

    /// The bytes that are still to be sent.
    var pending: ArraySlice<UInt8> { output[sentCount...] }

    /// Whether the connection takes bytes from its client: not while a response is being sent.
    var isReading: Bool {
        if case .reading = phase { return pending.isEmpty }
        return false
    }

    /// Whether all bytes of the last response were sent.
    var isOver: Bool {
        if case .closing = phase { return pending.isEmpty }
        return false
    }

    /// Whether the connection takes bytes and discards them.
    var isLingering: Bool {
        if case .lingering = phase { return true }
        return false
    }

    /// The topic for which the connection waits.
    var topic: String? {
        switch phase {
        case .reading, .closing, .lingering: nil
        case .waiting(let topic, _, _), .streaming(let topic): topic
        }
    }

    /// Whether the connection receives events.
    var isStreaming: Bool {
        if case .streaming = phase { return true }
        return false
    }

    // MARK: Requests

    /// Adds received bytes. The time limit counts from the first byte of a head.
    mutating func receive(_ bytes: some Sequence<UInt8>, now: Instant) {
        if !parser.hasBytes { deadline = now + limits.headTime }
        parser.append(bytes)
    }

    /// Returns the next request if the connection is ready for it. Answers a refused request.
    mutating func nextRequest(now: Instant) -> ServedRequest? {
        guard isReading else { return nil }
        switch parser.next() {
        case .incomplete: return nil
        case .request(let request): return request
        case .refusal(let refusal):
            send(ServedResponse(refusal).encoded(hasBody: true, closes: true), now: now)
            phase = .closing
            return nil
        }
    }

    /// Answers a request.
    mutating func answer(_ request: ServedRequest, _ response: ServedResponse, now: Instant) {
        send(response.encoded(hasBody: request.method == .get, closes: request.isLast), now: now)
        phase = request.isLast ? .closing : .reading
    }

    /// Begins to send events, or to wait for the next publication.
    mutating func answer(_ request: ServedRequest, following reply: ServedReply, now: Instant) {
        switch reply {
        case .response(let response): answer(request, response, now: now)
        case .next(let topic, let response):
            phase = .waiting(topic: topic, request, response)
            deadline = nil
        case .events(let topic):
            let head = ServedResponse(contentType: "text/event-stream; charset=utf-8", body: [])
            send(head.encoded(hasBody: false, closes: true, isEndless: true), now: now)
            phase = request.method == .get ? .streaming(topic: topic) : .closing
        }
    }

    /// Delivers a publication. A connection that is still sending an earlier event leaves this one out.
    mutating func publish(_ data: [UInt8], now: Instant) {
        switch phase {
        case .reading, .closing, .lingering: return
        case .waiting(_, let request, let response): answer(request, response(data), now: now)
        case .streaming:
            hasMissedEvent = !pending.isEmpty
            guard !hasMissedEvent else { return }
            send(Array("data: ".utf8) + data + [0x0A, 0x0A], now: now)
        }
    }

    /// Waits for the end of the client, for a short time.
    mutating func linger(now: Instant) {
        phase = .lingering
        (idleSince, deadline) = (now, now + limits.lingerTime)
    }

    // MARK: Sending

    private mutating func send(_ bytes: [UInt8], now: Instant) {
        if pending.isEmpty { (output, sentCount) = ([], 0) }
        output += bytes
        deadline = now + limits.stallTime
    }

    /// Records that the client's system has accepted bytes.
    mutating func sent(_ count: Int, now: Instant) {
        sentCount += count
        guard pending.isEmpty else {
            deadline = now + limits.stallTime
            return
        }
        (output, sentCount) = ([], 0)
        switch phase {
        case .reading: (idleSince, deadline) = (now, now + limits.headTime)
        case .waiting, .streaming, .closing, .lingering: deadline = nil
        }
    }
}
