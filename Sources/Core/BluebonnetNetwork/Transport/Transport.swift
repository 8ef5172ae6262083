// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Makes transfers. Network thread only. A transport does not depend on operations, redirects, serializers or
/// concurrency limits.
///
/// The protocol and the types in its signatures have `package` access, because the in-memory transport is in
/// `BluebonnetTesting`.
package protocol Transport: AnyObject {
    /// Begins a transfer and reports its events to `delegate`. The delegate is retained until the transfer has ended
    /// or was aborted.
    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer

    /// Closes the idle connections of every pool key that has no running transfer.
    func closeIdleConnections()

    /// Temporarily keeps few idle connections, because a transfer found no file descriptor.
    func keepFewConnections()

    /// The origin of each connection, and whether no transfer uses the connection.
    var connections: [(origin: Origin, isIdle: Bool)] { get }
}

extension Transport {
    package func keepFewConnections() {}
    package var connections: [(origin: Origin, isIdle: Bool)] { [] }
}

/// One running transfer: one request and its response, over one connection. Network thread only.
package protocol Transfer: AnyObject {
    /// Stops the transfer immediately. The delegate is not called again.
    func abort() -> TransferMetrics
    /// Whether any part of the request may have reached the server.
    var hasBegunSending: Bool { get }
    /// Stops reading and writing. The connection is kept.
    func pause()
    /// Continues after `pause()`. The transfer's deadline becomes `deadline`; the pause counts against no limit.
    func resume(deadline: UInt64)
    /// Redelivers the bytes that the delegate did not take, and continues. The delegate's `bodyDeadline` may have
    /// changed.
    func resumeReceiving()
}

/// The delegate's answer to body bytes.
package enum BodyIntake {
    case taken
    /// No byte was taken. The same bytes are delivered again after `resumeReceiving()`. Until then, the connection is
    /// not read.
    case wouldBlock
}

/// Receives the events of one transfer on the network thread. An error that a method throws ends the transfer.
package protocol TransferDelegate: AnyObject {
    /// Called when more body bytes were sent.
    func transferDidSend(bodyByteCount: Int)
    /// Called when the request is sent again from its start on a new connection. Bytes sent before no longer count.
    func transferDidStartAgain()
    /// Called when the transfer continues on another connection. `metrics` are the metrics of the previous connection.
    func transferBeginsAgain(after metrics: TransferMetrics)
    /// Called when the response's header section is complete. Interim responses are not reported.
    func transferDidReceive(head: ResponseHead) throws(NetworkingError)
    /// Called with body bytes as they arrived, still content-coded. The buffer is valid during the call only.
    ///
    /// - Parameter mustTake: whether the delegate must take the bytes even if the body's consumer has no capacity.
    ///   Bytes that need not be taken are delivered again after `.wouldBlock`.
    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) throws(NetworkingError) -> BodyIntake
    /// The deadline for the rest of the body, in nanoseconds of `MonotonicClock`; `UInt64.max` without a deadline. The
    /// transfer ends with `timedOut` when it passes. The property is read when the head has arrived and when the
    /// transfer continues. Between these reads the deadline may only move later.
    var bodyDeadline: UInt64 { get }
    /// Called when the response body continues after a rate limit paused it. The time of the pause counts against none
    /// of the delegate's limits. `now` is an instant of `MonotonicClock`.
    func recordContinuation(now: UInt64)
    /// Whether a block is deciding about the response whose head has just arrived. `resumeReceiving()` is called once
    /// the block has decided.
    var awaitsDecision: Bool { get }
    /// The rate limits that apply to the transfer; nil without a limit. Read when the transfer begins.
    var pacing: TransferPacing? { get }
    /// Called if the server matches none of the report-only pins, before the request is sent.
    func transferDidFind(_ violation: PinViolation)
    /// Whether `transferDidConnect` and `transferDidSend(_:)` are called. Read when the transfer begins.
    var observesConnections: Bool { get }
    /// Called when the transfer has its connection, before the request is sent; again after `transferDidStartAgain` and
    /// `transferBeginsAgain`.
    ///
    /// - Parameter metrics: the measurements so far; empty over a kept connection.
    func transferDidConnect(_ use: ConnectionUseFacts, _ metrics: TransferMetrics)
    /// Called when a part of the request was passed to the connection; again after `transferDidStartAgain` and
    /// `transferBeginsAgain`.
    func transferDidSend(_ part: SentPart)
    /// Called when the transfer has ended, with an error or with a response that is complete according to its framing.
    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics)
}

extension TransferDelegate {
    func transferBeginsAgain(after metrics: TransferMetrics) {}
    func transferDidFind(_ violation: PinViolation) {}
    var bodyDeadline: UInt64 { .max }
    func recordContinuation(now: UInt64) {}
    var awaitsDecision: Bool { false }
    var pacing: TransferPacing? { nil }
    var observesConnections: Bool { false }
    func transferDidConnect(_ use: ConnectionUseFacts, _ metrics: TransferMetrics) {}
    func transferDidSend(_ part: SentPart) {}
}

/// A part of the request that has left libcurl.
package enum SentPart: Sendable {
    case head
    /// The end of a body whose length was not known. The end of another body is its last byte.
    case endOfBody(byteCount: Int64)
}

/// Describes one transfer. A class, because the immutable description is passed on often.
package final class TransferRequest: Sendable {
    package let url: URL
    /// The URL's text. Stored, because `absoluteString` is slow.
    package let urlText: String
    /// The URL's origin. Stored, because parsing the URL is slow.
    let origin: Origin
    package let method: String
    /// The header fields in the order in which they are sent.
    package let headers: [HeaderFields.Field]
    package let body: TransferBody
    let poolKeyBox: PoolKeyBox
    package let limits: Limits
    /// The cookie jar; nil when no cookies are sent or stored.
    let cookieJar: (any TransferCookies)?
    let headSize: RequestHeadSize

    /// The body when it is sent in one piece with the header section: a small body that has no rate limit and does not
    /// wait for `100 Continue`, after a head that leaves space for it. libcurl would wait for `100 Continue` with such
    /// a body over HTTP/2 too, where servers do not send it.
    var copiedBody: Data? {
        guard !limits.isPaced, let bytes = body.smallBytes, !asksForContinue, headSize.leavesRoomForBody else {
            return nil
        }
        return bytes
    }

    /// The size of libcurl's upload buffer in bytes, which is the maximum sent at once. If header section and body fit,
    /// this is the smallest size that libcurl accepts: the network thread keeps some buffers of that size. Over TLS,
    /// the size is at most the usual one: progress within a piece is not known before the whole piece has left, so a
    /// large piece looks like a stalled upload.
    ///
    /// A head that must leave in one piece gets a buffer that is large enough for the whole head.
    var sendingBufferByteCount: Int {
        guard mustSendHeadWhole else { return usualBufferByteCount }
        let least = max(usualBufferByteCount, headSize.upperBound)
        return Self.bufferByteCounts.first { $0 >= least } ?? Self.largestBufferByteCount
    }

    private var mustSendHeadWhole: Bool { CutHead.requiresWholeHead(bodyByteCount: body.isEmpty ? 0 : body.byteCount) }

    private var usualBufferByteCount: Int {
        if body.isEmpty { return 16 * 1024 }
        if let copiedBody { return copiedBody.count <= 8 * 1024 ? 16 * 1024 : 64 * 1024 }
        guard case .file(let file) = body, file.byteCount >= 1 << 20, !isSecure else { return 64 * 1024 }
        return 256 * 1024
    }

    /// Only a few sizes: a handle that is set up for one size has to be set up again for another.
    private static let bufferByteCounts = [16 * 1024, 64 * 1024, 256 * 1024]
    /// The largest head that libcurl builds (DYN_HTTP_REQUEST).
    private static let largestBufferByteCount = 1 << 20

    /// The version to ask for: HTTP/1.1 for trailers, which libcurl sends only there, and if the head is too large for
    /// HTTP/2, unless the caller requires HTTP/2 (`http2PriorKnowledge`).
    var httpVersion: HTTPProtocolVersion {
        let fitsHTTP2 = headSize.fitsHTTP2 && body.trailers == nil
        if fitsHTTP2 || limits.httpVersion == .http2PriorKnowledge { return limits.httpVersion }
        return .http1
    }

    /// Whether the request asks for `100 Continue` before its body (RFC 9110, 10.1.1).
    var asksForContinue: Bool {
        headers.containsName(Self.expectation)
            && headers.contains {
                FieldSyntax.isSameName($0.name, Self.expectation) && $0.value.lowercased().contains("100-continue")
            }
    }

    static let expectation = "Expect"

    /// Whether the request asks for its connection to be closed afterwards (`Connection: close`; RFC 9112, 9.6).
    var closesConnection: Bool {
        headers.containsName("Connection")
            && headers.contains {
                FieldSyntax.isSameName($0.name, "Connection") && ResponseHead.list([$0.value]).contains("close")
            }
    }

    /// The limits and settings of a transfer.
    package struct Limits: Sendable {
        var httpVersion = HTTPProtocolVersion.negotiated
        /// The time limit for connecting, including handshakes, in nanoseconds; 0 means no limit.
        package var connectTimeout: UInt64 = 0
        /// The longest time without a byte sent or received, in nanoseconds; 0 means no limit.
        var idleTimeout: UInt64 = 0
        /// The deadline of the transfer, an instant of the monotonic clock.
        package var deadline = UInt64.max
        var headerByteLimit = 256 * 1024
        /// Whether a large body is expected, so that a large buffer is worthwhile.
        var expectsLargeBody = false
        /// Whether a rate limit applies to the transfer.
        var isPaced = false
        var lowSpeed: LowSpeedLimit?
        /// Whether the transfer must not use an existing connection.
        var needsNewConnection = false

        package init(
            httpVersion: HTTPProtocolVersion = HTTPProtocolVersion.negotiated, connectTimeout: UInt64 = 0,
            idleTimeout: UInt64 = 0, deadline: UInt64 = UInt64.max, headerByteLimit: Int = 256 * 1024,
            expectsLargeBody: Bool = false, isPaced: Bool = false, lowSpeed: LowSpeedLimit? = nil,
            needsNewConnection: Bool = false
        ) {
            self.httpVersion = httpVersion
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.deadline = deadline
            self.headerByteLimit = headerByteLimit
            self.expectsLargeBody = expectsLargeBody
            self.isPaced = isPaced
            self.lowSpeed = lowSpeed
            self.needsNewConnection = needsNewConnection
        }
    }

    package init(
        url: URL, origin: Origin, method: String, headers: [HeaderFields.Field], body: TransferBody = .none,
        poolKey: PoolKeyBox = .plain, limits: Limits = Limits(), cookieJar: (any TransferCookies)? = nil
    ) {
        let urlText = url.absoluteString
        self.url = url
        self.urlText = urlText
        self.origin = origin
        self.method = method
        self.headers = headers
        self.body = body
        poolKeyBox = poolKey
        self.limits = limits
        self.cookieJar = cookieJar
        headSize = RequestHeadSize(
            method: method, url: urlText, host: origin.host, headers: headers,
            proxyCredentialByteCount: poolKey.proxyCredentialByteCount, usesJar: cookieJar != nil)
    }

    var poolKey: ConnectionPoolKey { poolKeyBox.value }

    package var hostName: String { url.host ?? "the server" }

    /// Sets the action that is called when a body that had no bytes has bytes again. Network thread only.
    package func whenBodyIsReady(_ action: @escaping () -> Void) { body.whenReady(action) }

    /// Whether the connection to the origin, not only to a proxy, uses TLS.
    var isSecure: Bool { origin.isSecure }

    /// Whether the request may be sent a second time on a new connection when the first connection turned out to be
    /// dead (RFC 9110, 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
    }
}

/// The measurements of one transfer. Times are in nanoseconds.
package struct TransferMetrics: Sendable, Equatable {
    package init() {}

    package var nameLookup: UInt64 = 0
    package var connect: UInt64 = 0
    package var tls: UInt64 = 0
    /// The time from the start of the transfer to the first byte of the response; 0 if no byte arrived.
    package var firstByte: UInt64 = 0
    /// Whether the transfer used an existing connection.
    package var isReused = false
    /// For a failed transfer: whether the request may have reached the server.
    package var evidence = DeliveryCertainty.mayHaveArrived
    /// The negotiated TLS parameters; nil without TLS, and when the handshake did not complete.
    package var tlsInformation: Box<TLSInformation>?
    /// The trailer section of the response; nil without one.
    package var trailers: Box<HeaderFields>?
    /// The simulated time that the transfer has used. It counts against the operation's time limit in addition to real
    /// time.
    package var simulatedTime: UInt64 = 0
}

/// The reason why a transfer failed whose streamed body is needed from its start again.
package struct BodyNeededAgain: Error {}

/// Provides the cookies of a transfer and stores the cookies that it receives. A transfer retains the object until it
/// has ended.
package protocol TransferCookies: AnyObject, Sendable {
    /// Returns the engine that sends and stores the cookies, as a libcurl share. Network thread only.
    func openShare() throws(CurlError) -> UnsafeMutableRawPointer

    /// Returns the receiver for the cookies of a response to a request for `url`. Network thread only.
    func receiveCookies(from url: URL, _ origin: Origin) -> any ReceivedCookies
}

/// Collects the cookies of one response. Network thread only.
package protocol ReceivedCookies: AnyObject {
    /// Adds a `Set-Cookie` line, which the engine has read already.
    func add(_ line: UnsafeRawBufferPointer)

    /// Whether the engine would send a cookie to hosts that it is not meant for, until `correct()` is called.
    var hasWideCookie: Bool { get }

    /// Corrects the cookies that the engine has read wrongly so far. Must not be called inside a libcurl call.
    func correct()

    /// Finishes, because the response has ended. Must not be called inside a libcurl call.
    func end()
}

/// The HTTP version of a request. HTTP/2 carries a request head of at most 64 KiB. A larger head is sent over
/// HTTP/1.1, and is an error with `http2PriorKnowledge`.
public enum HTTPProtocolVersion: String, Sendable, Hashable, Codable {
    /// HTTP/2 when TLS negotiates it, else HTTP/1.1.
    case negotiated
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2 where TLS negotiates it, and by upgrade without TLS; else HTTP/1.1. To fail instead of falling back, use
    /// `http2PriorKnowledge`.
    case http2 = "2"
    /// HTTP/2 only. Over TLS, a server that does not negotiate HTTP/2 causes the error `secureConnectionFailed`, and
    /// nothing is sent. Over plain TCP, HTTP/2 is used without negotiation.
    case http2PriorKnowledge = "2-prior-knowledge"
}
