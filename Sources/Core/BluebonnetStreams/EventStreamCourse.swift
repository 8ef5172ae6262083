// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The requests of one iteration of an event stream.
struct EventStreamCourse: Sendable {
    private typealias Reader = StreamReader<EventStreamDecoder>

    private enum Position: Sendable {
        case begin
        case open(Reader, HTTPRequestOperation)
        case end
    }

    private let call: Call
    private let policy: EventStreamPolicy
    private let endText: String?
    private var reconnection: EventStreamReconnection
    private var position = Position.begin
    private var lastOperation: HTTPRequestOperation?
    /// The idempotency key of the first request. The server has to recognize a repetition.
    private var key: IdempotencyKey?
    /// The number of events so far, over all responses.
    private(set) var eventCount = 0

    /// - Parameter end: the data of the event that ends the stream; nil if the end of the body ends it.
    init(_ call: Call, _ policy: EventStreamPolicy, end: String?) {
        (self.call, self.policy, endText) = (call, policy, end)
        reconnection = EventStreamReconnection(policy: policy)
    }

    /// Returns the next event; nil at the end. After an error, the stream has ended.
    mutating func next() async throws(NetworkingError) -> ServerSentEvent? {
        while true {
            switch position {
            case .end: return nil
            case .begin: try await connect()
            case .open(let reader, let operation):
                position = .end
                if let event = try await read(reader, of: operation) { return event }
            }
        }
    }

    /// Returns the next event if all of its bytes were read; nil otherwise, and at the end.
    mutating func nextArrived() throws(NetworkingError) -> ServerSentEvent? {
        guard case .open(var reader, let operation) = position else { return nil }
        position = .end
        guard let event = try reader.nextArrived() else {
            position = .open(reader, operation)
            return nil
        }
        return counted(event, reader, operation)
    }

    /// Counts an event; nil for the event that ends the stream.
    private mutating func counted(
        _ event: ServerSentEvent, _ reader: Reader, _ operation: HTTPRequestOperation
    ) -> ServerSentEvent? {
        eventCount += 1
        guard event.data != endText else {
            reader.drain()
            return nil
        }
        position = .open(reader, operation)
        return event
    }

    /// Ends the stream because of an event.
    mutating func fail(_ reason: String, _ error: any Error) -> NetworkingError {
        lastOperation?.cancel()
        position = .end
        return NetworkingError(
            .cannotParseResponse, reason, request: lastOperation?.request, response: lastOperation?.response,
            underlying: error)
    }

    /// Reads an event; nil at the end of the response.
    private mutating func read(
        _ reader: Reader, of operation: HTTPRequestOperation
    ) async throws(NetworkingError) -> ServerSentEvent? {
        var reader = reader
        do throws(NetworkingError) {
            guard let event = try await reader.next() else {
                try await reconnect(after: .ended, reader.decoder, operation, missingEnd)
                return nil
            }
            return counted(event, reader, operation)
        } catch  where error.code == .cannotParseResponse || error.code == .cancelled {
            throw error
        } catch {  // the response was accepted, and its body was cut
            try await reconnect(after: .failed(isTransient: true), reader.decoder, operation, error)
            return nil
        }
    }
}

// MARK: - Requests

extension EventStreamCourse {
    /// Sends the request, and waits for the head of an event stream.
    private mutating func connect() async throws(NetworkingError) {
        position = .end
        let fields = reconnection.requestFields
        let call = call.request { request in
            for field in fields where field.name != "Accept" || request.headers["Accept"] == nil {
                request.headers[field.name] = field.value
            }
        }
        let operation = call.handle(as: Data.self).operation
        if let key { operation.idempotencyKey = key }
        (lastOperation, key) = (operation, operation.idempotencyKey)
        do throws(NetworkingError) {
            let response = try await call.manager.stream(operation)
            if try accepts(response) {
                position = .open(StreamReader(response, reconnection.makeDecoder()), operation)
            }
        } catch  where !error.isTransient || error.response != nil {
            throw error
        } catch {
            try await reconnect(after: .failed(isTransient: true), nil, operation, error)
        }
    }

    /// Returns whether the response is an event stream; false after status 204, with which a server ends reconnections.
    private func accepts(_ response: StreamResponse) throws(NetworkingError) -> Bool {
        let type = response.headers["Content-Type"]
        switch EventStreamReconnection.refusal(statusCode: response.statusCode, contentType: type) {
        case nil: return true
        case .noContent:
            // The operation has no body to wait for.
            return false
        case let reason?:
            response.operation.cancel()
            let (code, text) = reason.refusal
            throw NetworkingError(
                code, text, request: response.operation.request, response: response.operation.response)
        }
    }

    /// Waits and begins again, or ends.
    ///
    /// - Throws: `error` if the stream is not continued.
    private mutating func reconnect(
        after outcome: EventStreamReconnection.Outcome, _ decoder: EventStreamDecoder?,
        _ operation: HTTPRequestOperation, _ error: NetworkingError?
    ) async throws(NetworkingError) {
        switch reconnection.decide(after: outcome, decoder, random: 0) {
        case .reconnect(let wait) where Self.canRepeat(operation):
            do {
                try await call.manager.pauseBetweenAttempts { random in
                    EventStreamReconnection.lengthened(wait, random: random)
                }
            } catch let cancellation {
                throw NetworkingError(
                    .cancelled, "the task was cancelled while the event stream waited for its next connection",
                    request: operation.request, underlying: cancellation)
            }
            position = .begin
        case .reconnect, .stop: if let error { throw error }
        }
    }

    /// Whether the request may be sent again after the server has begun to process it.
    private static func canRepeat(_ operation: HTTPRequestOperation) -> Bool {
        operation.idempotencyKey != nil || ["GET", "HEAD"].contains(operation.request?.httpMethod ?? "GET")
    }

    /// The error of a complete body without the event that ends the stream; nil if no event has to end the stream.
    private var missingEnd: NetworkingError? {
        endText.map { text in
            NetworkingError(
                .badServerResponse, "the event stream has ended without the event \(JSONText.quoted(text))",
                request: lastOperation?.request, response: lastOperation?.response)
        }
    }
}

extension EventStreamReconnection.StopReason {
    /// The code and the text of the error for a refused response.
    fileprivate var refusal: (NetworkingError.Code, String) {
        switch self {
        case .unacceptableType(let type):
            (.unacceptableContentType, "the response is not an event stream, but \(type ?? "of no content type")")
        case .unacceptableStatus(let status): (.unacceptableStatus, "an event stream has status 200, not \(status)")
        default: (.badServerResponse, "the response is not an event stream")
        }
    }
}
