// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether a stream of server-sent events is requested again after it has ended or was cut.
///
/// The waits follow the HTML standard (9.2.3): the server's `retry`, otherwise `initialDelay`. The wait doubles with
/// each consecutive request that brings no event, and up to half of it is added at random. With any policy, a status
/// other than 200 (also 204) and a type other than `text/event-stream` end the stream.
public struct EventStreamPolicy: Sendable, Hashable, Codable {
    /// The maximum number of consecutive reconnections that bring no event. An event resets the count. 0 means no
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

    /// Reconnects until this number of consecutive reconnections has brought no event.
    public static func attempts(_ maximumCount: Int) -> EventStreamPolicy {
        EventStreamPolicy(maximumAttemptCount: maximumCount)
    }

    /// Makes a policy with the default waits.
    public init(maximumAttemptCount: Int?) { self.maximumAttemptCount = maximumAttemptCount }
}
