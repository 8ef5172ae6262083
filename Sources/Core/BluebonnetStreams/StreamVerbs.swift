// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

extension Call {
    /// Runs the call, and returns when the head of an accepted response has arrived. The body follows as a sequence.
    ///
    /// - Parameter bufferByteCount: the maximum number of bytes that wait for the consumer; while the buffer is full,
    ///   the connection is not read. Default 256 KiB.
    /// - Throws: the operation's `NetworkingError`: `unacceptableStatus` for a refused status, with the body.
    ///   Cancelling the task cancels the operation.
    public func stream(bufferByteCount: Int = 256 << 10) async throws(NetworkingError) -> StreamResponse {
        try await manager.stream(handle(as: Data.self).operation, bufferByteCount: bufferByteCount)
    }

    /// Returns the events of the call; see `RequestOperationManager.events(_:body:policy:done:)`.
    ///
    /// - Parameters:
    ///   - policy: default nil: reconnections without limit for GET and HEAD, none for other methods.
    ///   - done: the data of the event that ends the stream, such as `[DONE]`. Default nil: the end of the body ends
    ///     it.
    public func events(policy: EventStreamPolicy? = nil, done: String? = nil) -> EventStream<ServerSentEvent> {
        EventStream(call: self, policy: policy ?? usualPolicy, end: done) { $0 }
    }

    /// Returns the events of the call with decoded data.
    ///
    /// - Parameters:
    ///   - type: the type of each event's data, which is JSON.
    ///   - decoder: default nil: the manager's `decoder`.
    ///   - policy: default nil: reconnections without limit for GET and HEAD, none for other methods.
    ///   - done: the data of the event that ends the stream, which is not decoded. Default nil: the end of the body.
    public func events<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder? = nil, policy: EventStreamPolicy? = nil, done: String? = nil
    ) -> EventStream<DecodedEvent<Value>> {
        let decoder = decoder ?? manager.decoder
        return EventStream(call: self, policy: policy ?? usualPolicy, end: done) { event in
            let data = try decoder.value(type, inJSON: Data(event.data.utf8))
            return DecodedEvent(event: event.event, data: data, id: event.id, retry: event.retry)
        }
    }

    private var usualPolicy: EventStreamPolicy { ["GET", "HEAD"].contains(method) ? .untilCancelled : .never }
}

extension RequestOperationManager {
    /// Requests a URL with GET, and returns when the head of an accepted response has arrived.
    ///
    /// ```swift
    /// let response = try await manager.stream("feed.ndjson")
    /// for try await update in response.jsonLines(as: Update.self) { print(update.text) }
    /// ```
    ///
    /// - Throws: as `Call.stream(bufferByteCount:)`.
    public func stream(_ url: some URLReference) async throws(NetworkingError) -> StreamResponse {
        try await call(url).stream()
    }

    /// Sends a request, and returns when the head of an accepted response has arrived.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    ///   - headers: fields of this request.
    ///   - body: default none.
    /// - Throws: as `Call.stream(bufferByteCount:)`.
    public func stream(
        _ method: String, _ url: some URLReference, headers: HeaderFields = [:], body: RequestBody? = nil
    ) async throws(NetworkingError) -> StreamResponse {
        let call = call(method, url).headers(headers)
        return try await (body.map { call.body($0) } ?? call).stream()
    }

    /// Returns the events of a stream of server-sent events.
    ///
    /// ```swift
    /// for try await event in manager.events("news") { print(event.event, event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - body: with a body, the method is POST. Default none: GET.
    ///   - policy: whether a stream that ends or is cut is requested again, from the last event on: with
    ///     `Last-Event-ID`, after the server's `retry` or 3 seconds, with jitter. Default nil: without limit for GET,
    ///     never for POST. A POST is sent again only with an idempotency key. Status 204 ends the stream.
    ///   - done: the data of the event that ends the stream, such as `[DONE]`. A body that ends earlier is an error.
    ///     Default nil: the end of the body ends the stream.
    public func events(
        _ url: some URLReference, body: RequestBody? = nil, policy: EventStreamPolicy? = nil, done: String? = nil
    ) -> EventStream<ServerSentEvent> {
        eventCall(url, body).events(policy: policy, done: done)
    }

    /// Returns the events of a stream of server-sent events with decoded data.
    ///
    /// ```swift
    /// let question = RequestBody.json(["prompt": "Hello", "stream": true])
    /// for try await delta in manager.events("v1/chat", body: question, as: Delta.self, done: "[DONE]") {
    ///     print(delta.data.text)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - body: with a body, the method is POST. Default none: GET.
    ///   - type: the type of each event's data, which is JSON; decoded with the manager's `decoder`.
    ///   - policy: as in `events(_:body:policy:done:)`.
    ///   - done: the data of the event that ends the stream, which is not decoded.
    public func events<Value: Decodable & Sendable>(
        _ url: some URLReference, body: RequestBody? = nil, as type: Value.Type, policy: EventStreamPolicy? = nil,
        done: String? = nil
    ) -> EventStream<DecodedEvent<Value>> {
        eventCall(url, body).events(as: type, policy: policy, done: done)
    }

    private func eventCall(_ url: some URLReference, _ body: RequestBody?) -> Call {
        body.map { call("POST", url).body($0) } ?? call(url)
    }

    /// Adds an operation to `operationQueue`, and returns when the head of an accepted response has arrived.
    package func stream(
        _ operation: HTTPRequestOperation, bufferByteCount: Int = 256 << 10
    ) async throws(NetworkingError) -> StreamResponse {
        let chunks = operation.chunks(bufferByteCount: bufferByteCount)
        let arrival = HeadArrival(of: operation)
        enqueue(operation)
        let head = try await arrival.head()
        return StreamResponse(operation: operation, head: head, body: chunks)
    }
}
