// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// The lines of a body. See `StreamResponse.lines`.
public struct ResponseLines: AsyncSequence, Sendable {
    public typealias Element = String
    public typealias Failure = NetworkingError

    let reader: StreamReader<LineDecoder>

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader.makeIterator()) }

    /// Iterates over the lines.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reader: StreamReader<LineDecoder>.Iterator

        /// Returns the next line; nil at the end of a complete body.
        ///
        /// - Throws: the operation's error; `cannotParseResponse` for a line that is too long.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> String? { try await reader.next() }

        public mutating func next() async throws(NetworkingError) -> String? { try await reader.next() }
    }
}

/// The values of a body of JSON texts. See `StreamResponse.jsonLines(as:decoder:)`.
public struct ResponseJSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = NetworkingError

    let reader: StreamReader<JSONLinesDecoder>
    let decoder: JSONDecoder

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader.makeIterator(), decoder: decoder) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reader: StreamReader<JSONLinesDecoder>.Iterator
        fileprivate let decoder: JSONDecoder

        /// Returns the next value; nil at the end of a complete body.
        ///
        /// - Throws: the operation's error; `cannotParseResponse` with the number of a text that cannot be decoded.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Value? { try await next() }

        public mutating func next() async throws(NetworkingError) -> Value? {
            guard let item = try await reader.next() else { return nil }
            do {
                return try decoder.value(Value.self, inJSON: Data(item.bytes))
            } catch {
                let reason = CodingErrorText.reason(of: error)
                throw reader.unusable("JSON text \(item.number) cannot be decoded: \(reason)", error)
            }
        }
    }
}

/// The events of a body. See `StreamResponse.events`.
public struct ResponseEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent
    public typealias Failure = NetworkingError

    let reader: StreamReader<EventStreamDecoder>

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader.makeIterator()) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reader: StreamReader<EventStreamDecoder>.Iterator

        /// Returns the next event; nil at the end of a complete body.
        ///
        /// - Throws: the operation's error; `cannotParseResponse` for an event that is too long.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> ServerSentEvent? { try await reader.next() }

        public mutating func next() async throws(NetworkingError) -> ServerSentEvent? { try await reader.next() }
    }
}

extension JSONDecoder {
    /// Decodes a value. `JSONValue` is parsed directly.
    func value<Value: Decodable>(_ type: Value.Type, inJSON text: Data) throws -> Value {
        if type == JSONValue.self, let value = try JSONValue(parsing: text) as? Value { return value }
        return try decode(type, from: text)
    }
}
