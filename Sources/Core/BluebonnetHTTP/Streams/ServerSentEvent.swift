// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// An event that a server has sent in a response of the type `text/event-stream` (HTML standard, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event: the field `event`. Default `message`.
    public var event: String
    /// The lines of the field `data`, joined by line feeds. Invalid UTF-8 is replaced by U+FFFD.
    public var data: String
    /// The identifier of the last event with a field `id`: of this event or of an earlier one. Empty without such an
    /// event. A reconnection sends it as `Last-Event-ID`.
    public var id: String
    /// The time before a reconnection, if the server has sent a valid field `retry` with this event; otherwise nil. The
    /// time also applies to later reconnections.
    public var retry: Duration?

    /// Makes an event, for instance for a test.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        (self.event, self.data, self.id, self.retry) = (event, data, id, retry)
    }
}
