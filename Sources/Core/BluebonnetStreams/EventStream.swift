// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// A server-sent event whose data is a decoded value.
public struct DecodedEvent<Value: Sendable>: Sendable {
    /// The type of the event; `message` if the server sets none.
    public let event: String
    /// The decoded data.
    public let data: Value
    /// The identifier of the last event that has one; empty if none has.
    public let id: String
    /// The reconnection time that came with this event; nil without one.
    public let retry: Duration?

    /// Creates an event, for instance for a test.
    public init(event: String = "message", data: Value, id: String = "", retry: Duration? = nil) {
        (self.event, self.data, self.id, self.retry) = (event, data, id, retry)
    }
}

extension DecodedEvent: Equatable where Value: Equatable {}

/// The events of a stream of server-sent events, over reconnections. Made by `RequestOperationManager.events`.
///
/// The request is sent when the iteration begins, once for each iterator. Cancelling the task, or leaving the loop,
/// cancels the request. Comments are not delivered. Like any other bytes, they restart the idle time limit.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = NetworkingError

    let call: Call
    let policy: EventStreamPolicy
    let end: String?
    let decode: @Sendable (ServerSentEvent) throws -> Event

    public func makeAsyncIterator() -> Iterator {
        Iterator(course: EventStreamCourse(call, policy, end: end), decode: decode)
    }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var course: EventStreamCourse
        private let decode: @Sendable (ServerSentEvent) throws -> Event

        fileprivate init(
            course: EventStreamCourse, decode: @escaping @Sendable (ServerSentEvent) throws -> Event
        ) {
            (self.course, self.decode) = (course, decode)
        }

        /// Returns the next event; nil at the end of the stream.
        ///
        /// - Throws: the operation's error if the stream is cut or refused and the policy permits no reconnection;
        ///   `unacceptableContentType` if the response is not an event stream; `cannotParseResponse` for an event that
        ///   is too long or cannot be decoded; `badServerResponse` if the stream ends without the text of `done`. After
        ///   an error, the iteration has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Event? {
            if let event = try course.nextArrived() { return try value(of: event) }
            return try await next()
        }

        public mutating func next() async throws(NetworkingError) -> Event? {
            guard let event = try await course.next() else { return nil }
            return try value(of: event)
        }

        private mutating func value(of event: ServerSentEvent) throws(NetworkingError) -> Event {
            do {
                return try decode(event)
            } catch {
                throw course.fail(
                    "event \(course.eventCount) cannot be decoded: \(CodingErrorText.reason(of: error))", error)
            }
        }
    }
}
