// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether a stream of server-sent events is requested again after it has ended or was cut.
///
/// The waits follow the HTML standard (9.2.3): the server's `retry`, otherwise `initialDelay`. The wait doubles with
/// each request in a row that brings no event, and up to half of it is added at random. A status other than 200, also
/// 204, and a type other than `text/event-stream` end the stream with any policy.
public struct EventStreamPolicy: Sendable, Hashable, Codable {
    /// The maximum number of reconnections in a row that bring no event. An event sets the count back to 0. 0 means no
    /// reconnection, nil no limit.
    public var maximumAttemptCount: Int?
    /// The wait before a reconnection until the server has sent `retry`. Default 3 s.
    public var initialDelay = Duration.seconds(3)
    /// The upper bound of the doubled wait, before the random part. A longer `retry` of the server is not shortened, up
    /// to one day. Default 1 min.
    public var maximumDelay = Duration.seconds(60)

    /// Never reconnects: a stream that is cut is an error.
    public static let never = EventStreamPolicy(maximumAttemptCount: 0)
    /// Reconnects until the consumer cancels the stream, or the server ends it.
    public static let untilCancelled = EventStreamPolicy(maximumAttemptCount: nil)

    /// Reconnects until that many reconnections in a row have brought no event.
    public static func attempts(_ maximumCount: Int) -> EventStreamPolicy {
        EventStreamPolicy(maximumAttemptCount: maximumCount)
    }

    /// Makes a policy with the default waits.
    public init(maximumAttemptCount: Int?) { self.maximumAttemptCount = maximumAttemptCount }
}
