// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// One step of an operation, or of a connection, as an `EventMonitor` receives it.
///
/// Events of one operation arrive in the order in which they happened. They come in pairs: `queued` and `finished`,
/// `waitBegan` and `waitEnded`, `paused` and `resumed`, `hopBegan` and `hopEnded`. Each begin has exactly one end.
/// `queued` is the first event of an operation and `finished` the last; the other pairs have ended before. This also
/// holds if the operation is cancelled, if its connection breaks, and if the operation is released without an end.
/// Pairs may overlap: an operation with an unsafe method is paused inside its hop.
///
/// The events of a hop have this order: `connectionAcquired`, `requestHeadSent`, `requestBodySent`, `firstByte`,
/// `responseHead`, `responseBodyReceived`. An early response comes before `requestBodySent`. If the hop sends its
/// request again over another connection, the order begins again.
///
/// An event holds the URL and the header fields as they are, with credentials. `Redaction` and the products for logs,
/// traces and HAR files leave credentials out.
public struct RequestEvent: Sendable {
    /// The number of the operation in this process, from 1; nil for an event without an operation (`connectionOpened`,
    /// `connectionIdle`, `connectionClosed`, `governorChanged`, `eventsDropped`).
    public var operation: Int? {
        get { subject.value.operation }
        set { subject = subject.changed { $0.operation = newValue } }
    }
    /// The `name` of the operation when it was queued; nil if it has no name.
    public var name: String? {
        get { subject.value.name }
        set { subject = subject.changed { $0.name = newValue } }
    }
    /// The number of the attempt of the retry policy, from 1; 0 before the first hop.
    public var attempt: Int {
        get { subject.value.attempt }
        set { subject = subject.changed { $0.attempt = newValue } }
    }
    /// The number of the hop in the operation, from 1; 0 before the first hop. A redirect, the answer to a challenge,
    /// the continuation after a pause and a retry begin another hop.
    public var hop: Int {
        get { subject.value.hop }
        set { subject = subject.changed { $0.hop = newValue } }
    }
    /// The origin of the current hop, or of the connection: `https://api.example.com:443`. Nil if it is not known.
    public var origin: String? {
        get { subject.value.origin }
        set { subject = subject.changed { $0.origin = newValue } }
    }
    /// When it happened: nanoseconds of the monotonic clock, which starts at an arbitrary instant of this machine's
    /// uptime. Use the distance of two instants.
    public var instant: UInt64
    /// When it happened, by the system's clock.
    public var date: Date
    /// The step itself.
    public var kind: Kind
    /// Shared by the events of one hop, because events are copied into and out of buffers.
    private var subject: Box<EventSubject>

    /// Makes an event; for tests of monitors.
    public init(
        operation: Int? = nil, name: String? = nil, attempt: Int = 0, hop: Int = 0, origin: String? = nil,
        instant: UInt64 = 0, date: Date = Date(timeIntervalSince1970: 0), _ kind: Kind
    ) {
        let subject = EventSubject(operation: operation, name: name, attempt: attempt, hop: hop, originText: origin)
        (self.subject, self.instant, self.date, self.kind) = (Box(subject), instant, date, kind)
    }

    /// Makes an event whose date is set before it is delivered.
    init(_ subject: Box<EventSubject>, instant: UInt64, _ kind: Kind) {
        (self.subject, self.instant, self.kind) = (subject, instant, kind)
        date = Date(timeIntervalSinceReferenceDate: 0)
    }

    /// The kinds of events. Later versions may add cases: write a `default` when you switch over a kind.
    ///
    /// Large details are stored indirectly, because events are copied into and out of buffers.
    public enum Kind: Sendable {
        /// The operation was added to a queue, or was started without a queue. The reason is the first reason why it
        /// waits; nil if no reason is known.
        indirect case queued(WaitReason?)
        /// The operation was started: its queue, its dependencies and the slots allow it. At most once; an operation
        /// that is cancelled in its queue may end without it.
        case admitted
        /// The operation waits, without or during a hop.
        indirect case waitBegan(WaitReason)
        /// The wait has ended.
        case waitEnded(WaitReason.Kind)
        case paused
        /// The pause has ended, with `resume()` or with the operation.
        case resumed
        /// The cache was asked.
        case cacheAnswered(CacheAnswer)
        /// A transfer begins.
        case hopBegan(HopRequestHead)
        /// The name of the server, or of its proxy, was looked up.
        case nameLookedUp(Duration)
        /// A new connection was made, without the look-up and the TLS handshake.
        case connected(Duration)
        /// The TLS handshake has ended.
        indirect case tlsEstablished(TLSInformation, Duration)
        /// The hop has its connection, new or kept, and libcurl begins to send the request.
        case connectionAcquired(ConnectionUse)
        /// The head of the request was passed to the connection: to the kernel, with TLS after encryption. Reported
        /// once for each connection of the hop, after the call of libcurl that wrote the head, and at the latest with
        /// the first byte of the response. It does not mean that the server has received the head.
        case requestHeadSent
        /// The last byte of the request's body was passed to the connection, like the head. Of a body whose length was
        /// not known, libcurl has read the end and has sent what the connection took. Not reported without a body, and
        /// if the server answered before the whole body was sent.
        case requestBodySent(byteCount: Int64)
        /// The first byte of the response has arrived. The duration counts from `hopBegan`.
        case firstByte(Duration)
        /// The head of the response has arrived.
        case responseHead(HopResponseHead)
        /// A part of a body was sent or received; at most ten times a second for each direction, for bodies of 64 KiB
        /// or more.
        indirect case bodyProgress(BodyProgress)
        /// The response is complete: the last byte of its body has arrived, according to its framing. Reported
        /// directly before each `hopEnded` whose reason is `complete`, also for a response without a body.
        ///
        /// - Parameters:
        ///   - byteCount: the length of the body as it came over the connection.
        ///   - decodedByteCount: its length without content coding; nil if the body has a content coding and was not
        ///     decoded, as the body of a redirect.
        case responseBodyReceived(byteCount: Int64, decodedByteCount: Int64?)
        /// The transfer has ended.
        indirect case hopEnded(HopEnd)
        /// A redirect is followed.
        indirect case redirectDecided(status: Int, target: String)
        /// A response with 401 or 407 is answered with a credential.
        case challengeAnswered(status: Int)
        /// The decision after a failed attempt.
        indirect case retryDecided(RetryVerdict)
        /// The operation is finished. No event of the operation follows.
        indirect case finished(OperationEnd)
        /// The governor has changed what it allows to an origin.
        indirect case governorChanged(GovernorChange)
        /// A connection is ready for its first request. Connections belong to the process: a monitor receives the
        /// events of all connections.
        case connectionOpened(ConnectionInformation)
        /// The last transfer on the connection has ended, and the connection is kept.
        case connectionIdle(ConnectionInformation)
        case connectionClosed(ConnectionInformation, CloseReason)
        /// The monitor was too slow: this number of events was dropped here. Pairs may be incomplete.
        case eventsDropped(Int)
    }
}

// MARK: - Details

extension RequestEvent {
    /// The answer of the cache.
    public enum CacheAnswer: String, Sendable, Hashable, Codable, CaseIterable {
        /// A fresh stored response is the result; no request is sent.
        case hit
        /// A stored response is the result, after the server has confirmed it or sent its missing part.
        case revalidated
        /// A stale stored response is the result.
        case stale
        /// No stored response may be used; the request is sent.
        case miss
        /// The response to an equal request, for which the operation has waited, is the result.
        case coalesced
    }

    /// The head of a hop's response.
    public struct HopResponseHead: Sendable {
        public var statusCode: Int { head.statusCode }
        /// The version of HTTP: `1.0`, `1.1` or `2`.
        public var version: String { head.httpVersion }
        public var headers: [(name: String, value: String)] { head.headers.map { ($0.name, $0.value) } }
        private let head: ResponseHead

        public init(statusCode: Int, version: String = "1.1", headers: [(name: String, value: String)] = []) {
            self.init(
                ResponseHead(
                    url: URL(fileURLWithPath: "/"), statusCode: statusCode, httpVersion: version,
                    headers: HeaderFields(headers)))
        }

        init(_ head: ResponseHead) { self.head = head }
    }

    /// Progress of a body.
    public struct BodyProgress: Sendable, Hashable {
        public enum Direction: String, Sendable, Hashable { case sent, received }

        public var direction: Direction
        /// Bytes so far, without content coding.
        public var byteCount: Int64
        /// The length of the whole body; nil if it is not known.
        public var expectedByteCount: Int64?

        public init(_ direction: Direction, byteCount: Int64, expectedByteCount: Int64? = nil) {
            (self.direction, self.byteCount, self.expectedByteCount) = (direction, byteCount, expectedByteCount)
        }
    }

    /// The decision after a failed attempt of an operation with a retry policy.
    public enum RetryVerdict: Sendable, Hashable {
        /// The request is sent again after the wait.
        case retry(after: Duration, rule: RetriedAttempt.WaitRule, RetryFacts)
        /// The operation ends with the failure.
        case stop(RetryStopReason, RetryFacts)
    }

    /// The failed attempt that a retry decision is about.
    public struct RetryFacts: Sendable, Hashable {
        /// The code of the error; `unacceptableStatus` for a refused response.
        public var code: NetworkingError.Code
        public var statusCode: Int?
        /// Whether the request certainly did not reach the server, so that any method may be sent again.
        public var certainlyNotProcessed: Bool

        public init(code: NetworkingError.Code, statusCode: Int? = nil, certainlyNotProcessed: Bool = false) {
            (self.code, self.statusCode) = (code, statusCode)
            self.certainlyNotProcessed = certainlyNotProcessed
        }
    }

    /// Why a failed attempt is not followed by another. The raw values are stable.
    public enum RetryStopReason: String, Sendable, Hashable, CaseIterable {
        /// Another attempt would end in the same way.
        case notTransient
        /// The method is not idempotent, and the server may have acted on the request.
        case unsafeMethod
        case attemptsUsedUp
        /// The body of the request cannot be made again.
        case bodyGone
        /// A part of the response was passed on, and cannot be continued.
        case outputGone
        case timeUsedUp
        case budgetUsedUp
        /// The server asks clients to wait for longer than the policy allows.
        case retryAfterTooLong
        /// The retry block of the program.
        case refusedByBlock
    }

    /// The end of an operation.
    public struct OperationEnd: Sendable {
        /// The code of the error; nil if the operation succeeded.
        public var errorCode: NetworkingError.Code?
        /// The status of the final response; nil without a response.
        public var statusCode: Int?
        /// The received body after decoding, in bytes.
        public var receivedByteCount: Int64
        /// Transfers, retries, and the time of each wait and phase.
        public var summary: TransferSummary

        public init(
            errorCode: NetworkingError.Code? = nil, statusCode: Int? = nil, receivedByteCount: Int64 = 0,
            summary: TransferSummary = TransferSummary()
        ) {
            (self.errorCode, self.statusCode, self.summary) = (errorCode, statusCode, summary)
            self.receivedByteCount = receivedByteCount
        }
    }

    /// A change of what a governor allows to an origin.
    public enum GovernorChange: Sendable, Hashable {
        /// No request begins before the date. `status` is the status of the response that asked for it; nil without
        /// such a response.
        case hold(until: Date, status: Int?)
        /// The governor has learned a rate, in requests per second, from refusals.
        case rate(perSecond: Double)
        /// Requests fail until the date.
        case breakerOpened(until: Date)
        /// One request tries whether the origin answers again.
        case breakerHalfOpened
        /// The origin has answered again.
        case breakerClosed
    }

    /// Why a connection was closed. The raw values are stable.
    public enum CloseReason: String, Sendable, Hashable, CaseIterable {
        /// The server closed it, or it broke.
        case closedByServer
        /// A transfer on it failed or was stopped, or its protocol does not allow another request.
        case notReusable
        /// It was idle for long, or a limit of connections was reached.
        case idle
    }
}
