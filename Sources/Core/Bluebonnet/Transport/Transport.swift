// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Makes transfers. Network thread only; it knows nothing of operations, redirects, serializers or limits on their
/// number.
///
/// Of the package, like the types that it names, because the transport in memory belongs to `BluebonnetTesting`.
package protocol Transport: AnyObject {
    /// Begins a transfer. Its events go to `delegate`, which is kept alive until the transfer has ended or was aborted.
    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer

    /// Closes the idle connections of every pool key without a running transfer.
    func closeIdleConnections()

    /// Keeps few idle connections for a while, because a transfer found no file descriptor.
    func keepFewConnections()
}

extension Transport {
    package func keepFewConnections() {}
}

/// One running transfer: one request and its response, over one connection. Network thread only.
package protocol Transfer: AnyObject {
    /// Stops the transfer immediately. The delegate is not called any more.
    func abort() -> TransferMetrics
    /// Whether anything of the request may have reached the server.
    var hasBegunSending: Bool { get }
    /// Stops reading and writing while the connection is kept.
    func pause()
    /// Continues after `pause()`, until `deadline`. The pause counts against no limit.
    func resume(deadline: UInt64)
    /// Delivers the bytes again that the delegate did not take, and continues; the delegate's `bodyDeadline` may have
    /// changed.
    func resumeReceiving()
}

/// The delegate's answer to body bytes.
package enum BodyIntake {
    case taken
    /// No byte was taken: the same bytes are delivered again after `resumeReceiving()`. The connection is not read
    /// meanwhile.
    case wouldBlock
}

/// Receives the events of one transfer, on the network thread. An error that it throws ends the transfer.
package protocol TransferDelegate: AnyObject {
    /// More body bytes were sent.
    func transferDidSend(bodyByteCount: Int)
    /// The request is sent again from its start on a new connection; bytes that were sent before no longer count.
    func transferDidStartAgain()
    /// The transfer continues on another connection; `metrics` are those of the previous one.
    func transferBeginsAgain(after metrics: TransferMetrics)
    /// The response's header section is complete; interim responses are not reported.
    func transferDidReceive(head: ResponseHead) throws(NetworkingError)
    /// Body bytes as they came, still content-coded. The buffer is gone after the call.
    ///
    /// - Parameter mustTake: whether bytes are taken for which the body's consumer has no capacity. Others are given
    ///   again after `.wouldBlock`.
    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) throws(NetworkingError) -> BodyIntake
    /// The deadline for the rest of the body, in nanoseconds of `MonotonicClock`; `UInt64.max` is none. After it the
    /// transfer ends with `timedOut`. Read when the head has arrived and when the transfer continues; in between it may
    /// only become later.
    var bodyDeadline: UInt64 { get }
    /// A limit of bytes a second has held the response's body, which goes on now: the time before counts against no
    /// limit of the delegate's. `now` is an instant of `MonotonicClock`.
    func noteContinuation(now: UInt64)
    /// Whether a block decides about the response, whose head has just arrived. `resumeReceiving()` tells when it has.
    var awaitsDecision: Bool { get }
    /// The limits of bytes a second that the transfer keeps; nil without any. Read when the transfer begins.
    var pacing: TransferPacing? { get }
    /// The server matches none of the report-only pins. Called before the request is sent.
    func transferDidFind(_ violation: PinViolation)
    /// The transfer has ended, with an error or with a response that is complete according to its framing.
    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics)
}

extension TransferDelegate {
    func transferBeginsAgain(after metrics: TransferMetrics) {}
    func transferDidFind(_ violation: PinViolation) {}
    var bodyDeadline: UInt64 { .max }
    func noteContinuation(now: UInt64) {}
    var awaitsDecision: Bool { false }
    var pacing: TransferPacing? { nil }
}

/// The description of one transfer. An immutable object, because it is passed on often.
package final class TransferRequest: Sendable {
    package let url: URL
    /// The URL's text, which costs to ask for.
    let urlText: String
    /// The URL's: taking one apart costs.
    let origin: Origin
    package let method: String
    /// In the order in which they go out.
    package let headers: [HeaderFields.Field]
    let body: TransferBody
    let poolKeyBox: PoolKeyBox
    package let limits: Limits
    /// The cookie jar; nil when no cookies are sent or stored.
    let cookieJar: (any TransferCookies)?
    let headSize: RequestHeadSize

    /// The body when it leaves in one piece with the header section: when it is small, is under no limit of bytes a
    /// second, and does not wait for the server's word. With such a body libcurl would wait for that over HTTP/2 too,
    /// where servers send none.
    var copiedBody: Data? {
        guard !limits.isPaced, let bytes = body.smallBytes, !asksForContinue, headSize.leavesRoomForBody else {
            return nil
        }
        return bytes
    }

    /// How much is sent at once. The least that libcurl takes, of which the network thread keeps some, does where
    /// header section and body have room in it. Not more than usual over TLS: what has left of a piece is not known
    /// before all of it has, and looks like standing still.
    ///
    /// A head that must leave in one piece gets a buffer that holds all of it.
    var sendingBufferByteCount: Int {
        guard mustSendHeadWhole else { return usualBufferByteCount }
        let least = max(usualBufferByteCount, headSize.upperBound)
        return Self.bufferByteCounts.first { $0 >= least } ?? Self.largestBufferByteCount
    }

    private var mustSendHeadWhole: Bool { CutHead.mayLose(bodyByteCount: body.isEmpty ? 0 : body.byteCount) }

    private var usualBufferByteCount: Int {
        if body.isEmpty { return 16 * 1024 }
        if let copiedBody { return copiedBody.count <= 8 * 1024 ? 16 * 1024 : 64 * 1024 }
        guard case .file(let file) = body, file.byteCount >= 1 << 20, !isSecure else { return 64 * 1024 }
        return 256 * 1024
    }

    /// Few different ones: a handle that is set up for one is set up afresh for another.
    private static let bufferByteCounts = [16 * 1024, 64 * 1024, 256 * 1024]
    /// As large as the largest head that libcurl makes (DYN_HTTP_REQUEST).
    private static let largestBufferByteCount = 1 << 20

    /// The version to ask for: HTTP/1.1 for a head that HTTP/2 cannot carry, unless the caller knows that the server
    /// speaks nothing else.
    var httpVersion: HTTPProtocolVersion {
        if headSize.fitsHTTP2 || limits.httpVersion == .http2PriorKnowledge { return limits.httpVersion }
        return .http1
    }

    /// Whether the body, if there is one, waits for the server's word (RFC 9110, 10.1.1).
    var asksForContinue: Bool {
        headers.contains {
            FieldSyntax.isSameName($0.name, Self.expectation) && $0.value.lowercased().contains("100-continue")
        }
    }

    static let expectation = "Expect"

    /// Whether the request says that no other one follows it on its connection (RFC 9112, 9.6).
    var closesConnection: Bool {
        headers.contains {
            FieldSyntax.isSameName($0.name, "Connection") && ResponseHead.list([$0.value]).contains("close")
        }
    }

    package struct Limits: Sendable {
        var httpVersion = HTTPProtocolVersion.negotiated
        /// The longest time for connecting, handshakes included, in nanoseconds; 0 is no limit.
        package var connectTimeout: UInt64 = 0
        /// The longest time without a byte sent or received, in nanoseconds; 0 is no limit.
        var idleTimeout: UInt64 = 0
        /// The deadline of the transfer, an instant of the monotonic clock.
        package var deadline = UInt64.max
        var headerByteLimit = 256 * 1024
        /// Whether a large body is expected, so that a large buffer pays.
        var expectsLargeBody = false
        /// Whether the transfer keeps a limit of bytes a second.
        var isPaced = false
        var lowSpeed: LowSpeedLimit?
        /// Whether a kept connection is of no use.
        var needsNewConnection = false
    }

    init(
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

    /// Sets the action that is called once a body without bytes has bytes again. Network thread only.
    package func whenBodyIsReady(_ action: @escaping () -> Void) { body.whenReady(action) }

    /// Whether the origin, not only a proxy, is reached over TLS.
    var isSecure: Bool { origin.isSecure }

    /// Whether the request may be sent a second time on a new connection when the first one turned out dead: RFC 9110,
    /// 9.2.2.
    var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
    }
}

/// What was measured of one transfer; times in nanoseconds.
package struct TransferMetrics: Sendable, Equatable {
    package init() {}

    var nameLookup: UInt64 = 0
    var connect: UInt64 = 0
    var tls: UInt64 = 0
    /// From the start of the transfer to the first byte of the response; 0 when none came.
    var firstByte: UInt64 = 0
    /// Whether it ran on a connection that was there before.
    var isReused = false
    /// For a transfer that has failed: what is known of the request's way to its server.
    package var evidence = SendEvidence.mayHaveArrived
    /// What was negotiated with the server; nil without TLS, and when the handshake was not complete.
    var tlsInformation: Box<TLSInformation>?
    /// How much of a simulated time the transfer has used, which counts against the operation's time limit beside the
    /// machine's.
    package var simulatedTime: UInt64 = 0
}

/// Why a transfer failed that needs a streamed body from its start.
struct BodyNeededAgain: Error {}

/// The cookies that go along with a transfer, and where those that come are kept. A transfer holds them until it is
/// over.
protocol TransferCookies: AnyObject, Sendable {
    /// The engine that sends and keeps them, as a share of libcurl's. Network thread only.
    func openShare() throws(CurlError) -> UnsafeMutableRawPointer

    /// Receives the cookies of a response to a request for a URL. Network thread only.
    func receiveCookies(from url: URL, _ origin: Origin) -> any ReceivedCookies
}

/// The cookies of one response. Network thread only.
protocol ReceivedCookies: AnyObject {
    /// A `Set-Cookie` line has come, and the engine has read it.
    func add(_ line: UnsafeRawBufferPointer)

    /// Whether a cookie is sent to hosts that it is not for, until it is corrected.
    var hasWideCookie: Bool { get }

    /// Corrects what the engine has read wrongly so far. Not in a call of libcurl's.
    func correct()

    /// The response is over. Not in a call of libcurl's.
    func end()
}
