// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when a failed request is retried, and how long the operation waits before. A value; managers, operations and
/// request lines have an optional policy, which is nil by default.
///
/// ```swift
/// manager.retryPolicy = .standard
/// ```
///
/// A request is retried after a failure that may be temporary: no address, no connection, a lost connection, a timeout
/// except the total timeout, a body that was cut short, a failed TLS handshake, or a response with one of `statusCodes`
/// that the response serializer does not accept. It is never retried after a failed pin or certificate check, after a
/// proxy has permanently refused a tunnel, or because the request is invalid or data cannot be decoded, parsed or
/// written.
///
/// The methods GET, HEAD, PUT, DELETE, OPTIONS and TRACE are idempotent (RFC 9110, 9.2.2). A request with another
/// method is retried only if there is evidence that the server did not process it, or cannot process it twice: nothing
/// of it was sent, an HTTP/2 server refused its stream, the status is 429, or the request has an `Idempotency-Key`
/// field (`RequestOperation.idempotencyKey`).
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// The maximum number of attempts, including the first. 1 means no retries. Default 3.
    public var maximumAttemptCount = 3
    /// The maximum wait after the first attempt. It doubles with each attempt. The actual wait is a random part of it.
    /// Default 0.5 s.
    public var initialBackoff = Duration.milliseconds(500)
    /// The upper bound of the doubled `initialBackoff`. Default 20 s.
    public var maximumBackoff = Duration.seconds(20)
    /// The maximum time for all attempts and waits, from the beginning of the first attempt, excluding pauses. Waiting
    /// for slots and for a governor is included. The operation does not wait for an attempt that would begin after this
    /// time. The limit does not end a running attempt. Nil means no limit. Default 10 min.
    public var maximumTime: Duration? = .seconds(600)
    /// The response statuses after which the request is retried. Default 408, 425, 429, 500, 502, 503 and 504.
    public var statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The longest wait that a server may request with `Retry-After` or `RateLimit`. If the server requests a longer
    /// wait, the operation fails with `retryAfterTooLong`. Default 5 min.
    public var maximumRetryAfter = Duration.seconds(300)
    /// Whether a retry consumes the retry budget of its origin. All operations of the process share the budget: a fifth
    /// of the requests with a policy, plus three retries per second. If the budget is used up, the request is not
    /// retried, so that an outage is not amplified. A retry after status 429, or at a time that the server named, needs
    /// no budget. Default true.
    public var usesBudget = true

    /// At most three attempts, with random waits of up to 0.5 s and 1 s, for at most ten minutes.
    public static let standard = RetryPolicy()

    /// Makes a policy with the default values.
    public init() {}
}
