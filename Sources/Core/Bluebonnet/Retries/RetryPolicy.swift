// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// When a failed request is sent again, and how long the operation waits before. A value; managers, operations and
/// request lines have one, and none is the default.
///
/// ```swift
/// manager.retryPolicy = .standard
/// ```
///
/// A request is sent again after a failure that may pass: no address, no connection, a lost connection, a timeout (but
/// for the total one), a body that was cut short, a failed TLS handshake, and a response with one of `statusCodes` that
/// the response serializer does not accept. It is never sent again after a failed pin or certificate, after a proxy has
/// refused a tunnel for good, and never because of what cannot be sent, decoded, parsed or written.
///
/// The methods GET, HEAD, PUT, DELETE, OPTIONS and TRACE are idempotent (RFC 9110, 9.2.2). A request with another
/// method is sent again only with evidence that the server did not act on it: nothing of it was sent, an HTTP/2 server
/// refused its stream, the status is 429, or it has an `Idempotency-Key` field (`RequestOperation.idempotencyKey`).
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// The most attempts in all, the first one included; 1 sends nothing again. Default 3.
    public var maximumAttemptCount = 3
    /// The longest wait after the first attempt; it doubles from attempt to attempt. The wait is a random part of it.
    /// Default 0.5 s.
    public var initialBackoff = Duration.milliseconds(500)
    /// The longest wait that `initialBackoff` grows to. Default 20 s.
    public var maximumBackoff = Duration.seconds(20)
    /// The time for all attempts and waits, those for slots and for a governor included, from the beginning of the
    /// first attempt, without pauses: no wait for an attempt begins that would end after it. It ends no running
    /// attempt. Nil is no limit. Default 10 min.
    public var maximumTime: Duration? = .seconds(600)
    /// The statuses of responses after which the request is sent again. Default 408, 425, 429, 500, 502, 503 and
    /// 504.
    public var statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The longest wait that a server may ask for with `Retry-After` or `RateLimit`. When it asks for more, the
    /// operation fails with `retryAfterTooLong`. Default 5 min.
    public var maximumRetryAfter = Duration.seconds(300)
    /// Whether a retry needs room in the budget of its origin, which the process's operations share: a fifth of the
    /// requests with a policy, plus three a second. Without room the failure stands, so that an outage is not
    /// multiplied. A retry after status 429, or at the time that the server named, needs none. Default true.
    public var usesBudget = true

    /// Three attempts in all, with waits of random lengths up to 0.5 s and 1 s, for at most ten minutes.
    public static let standard = RetryPolicy()

    /// Makes a policy with the defaults.
    public init() {}
}
