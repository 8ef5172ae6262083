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
        indirect case hopBegan(HopRequestHead)
        /// The name of the server, or of its proxy, was looked up.
        case nameLookedUp(Duration)
        /// A new connection was made, without the look-up and the TLS handshake.
        case connected(Duration)
        /// The TLS handshake has ended.
        indirect case tlsEstablished(TLSInformation, Duration)
        /// The hop has its connection, new or kept, and libcurl begins to send the request.
        indirect case connectionAcquired(ConnectionUse)
        /// The whole body of the request was sent.
        case requestBodySent(byteCount: Int64)
        /// The first byte of the response has arrived. The duration counts from `hopBegan`.
        case firstByte(Duration)
        /// The head of the response has arrived.
        case responseHead(HopResponseHead)
        /// A part of a body was sent or received; at most ten times a second for each direction, for bodies of 64 KiB
        /// or more.
        indirect case bodyProgress(BodyProgress)
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
        indirect case connectionOpened(ConnectionInformation)
        /// The last transfer on the connection has ended, and the connection is kept.
        indirect case connectionIdle(ConnectionInformation)
        indirect case connectionClosed(ConnectionInformation, CloseReason)
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

    /// The head of a hop's request.
    public struct HopRequestHead: Sendable {
        public var method: String
        /// The URL, with its user information and query.
        public var url: String
        /// The fields in the order in which they are sent. libcurl adds `Host`, and fields for the connection
        /// and the proxy.
        public var headers: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }
        private let fields: [HeaderFields.Field]
        /// The length of the body; nil if it is not known before the end. 0 without a body.
        public var bodyByteCount: Int64?

        public init(
            method: String, url: String, headers: [(name: String, value: String)] = [], bodyByteCount: Int64? = 0
        ) {
            self.init(
                method: method, url: url, fields: headers.map { HeaderFields.Field(name: $0.name, value: $0.value) },
                bodyByteCount: bodyByteCount)
        }

        init(method: String, url: String, fields: [HeaderFields.Field], bodyByteCount: Int64?) {
            (self.method, self.url, self.fields, self.bodyByteCount) = (method, url, fields, bodyByteCount)
        }
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

    /// A connection of the process.
    public struct ConnectionInformation: Sendable, Hashable {
        /// The number of the connection in this process, from 1.
        public var number: Int
        /// The server's address, or the proxy's: `127.0.0.1`; empty for a Unix socket.
        public var peerAddress: String
        /// 0 for a Unix socket.
        public var peerPort: Int
        /// When the connection was opened: an instant of the monotonic clock, in nanoseconds.
        public var openedAt: UInt64

        public init(number: Int, peerAddress: String = "", peerPort: Int = 0, openedAt: UInt64 = 0) {
            (self.number, self.peerAddress, self.peerPort) = (number, peerAddress, peerPort)
            self.openedAt = openedAt
        }
    }

    /// The connection that a hop uses.
    public struct ConnectionUse: Sendable, Hashable {
        public var connection: ConnectionInformation
        /// Whether the connection was made for an earlier hop.
        public var isReused: Bool
        /// How long the connection was idle before; nil if it is new, or shared with other running hops.
        public var idleTime: Duration?

        public init(_ connection: ConnectionInformation, isReused: Bool, idleTime: Duration? = nil) {
            (self.connection, self.isReused, self.idleTime) = (connection, isReused, idleTime)
        }
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

    /// How a hop ended.
    public struct HopEnd: Sendable {
        public enum Reason: Sendable, Hashable {
            /// The response is complete, according to its framing.
            case complete
            /// The transfer was stopped for a pause; it continues or starts over with another hop.
            case paused
            /// The transfer was stopped by a cancellation, or because its operation was released.
            case cancelled
            /// The transfer begins again over another connection.
            case restarted
            case failed(NetworkingError.Code)
        }

        public var reason: Reason
        /// The status of the response; nil if no head arrived.
        public var statusCode: Int?
        /// The received part of the body, as it came over the connection.
        public var receivedByteCount: Int64
        /// The sent part of the body.
        public var sentByteCount: Int64
        /// How long the phases of the hop took. A pause inside the hop counts in no phase.
        public var phases: HopPhases

        public init(
            _ reason: Reason, statusCode: Int? = nil, receivedByteCount: Int64 = 0, sentByteCount: Int64 = 0,
            phases: HopPhases = HopPhases()
        ) {
            (self.reason, self.statusCode, self.phases) = (reason, statusCode, phases)
            (self.receivedByteCount, self.sentByteCount) = (receivedByteCount, sentByteCount)
        }
    }

    /// The durations of one hop's phases; a phase that did not happen is zero.
    public struct HopPhases: Sendable, Hashable {
        public var nameLookup: Duration
        /// TCP, without the look-up and TLS.
        public var connect: Duration
        public var tls: Duration
        /// From the connection to the first byte of the response: sending, and the server's work.
        public var waiting: Duration
        /// From the first byte to the end.
        public var receiving: Duration
        /// The sum of the phases.
        public var total: Duration { nameLookup + connect + tls + waiting + receiving }

        public init(
            nameLookup: Duration = .zero, connect: Duration = .zero, tls: Duration = .zero, waiting: Duration = .zero,
            receiving: Duration = .zero
        ) {
            (self.nameLookup, self.connect, self.tls) = (nameLookup, connect, tls)
            (self.waiting, self.receiving) = (waiting, receiving)
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
