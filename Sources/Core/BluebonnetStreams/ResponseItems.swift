// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// The items of a body, in the order in which they arrive. See `StreamResponse.lines`,
/// `StreamResponse.jsonLines(as:decoder:)` and `StreamResponse.events`.
public struct ResponseItems<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = NetworkingError

    /// Begins to read the body. The first reader has the bytes.
    let makeReader: @Sendable () -> any ItemReader<Element>

    public func makeAsyncIterator() -> Iterator { Iterator(reader: makeReader()) }

    /// Iterates over the items.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reader: any ItemReader<Element>

        /// Returns the next item; nil at the end of a complete body.
        ///
        /// - Throws: the operation's error; `cannotParseResponse` for an item that is too long, and with its number for
        ///   a JSON text that cannot be decoded.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Element? {
            if let item = try reader.nextArrived() { return item }
            return try await reader.next()
        }

        public mutating func next() async throws(NetworkingError) -> Element? { try await reader.next() }
    }
}

/// Reads the items of one body.
protocol ItemReader<Item>: Sendable {
    associatedtype Item: Sendable

    /// Returns the next item; nil at the end of a complete body.
    mutating func next() async throws(NetworkingError) -> Item?
    /// Returns the next item if all of its bytes were read, and nil otherwise. Without it, a loop on an actor would
    /// leave the actor and come back for each item, which costs more than most items.
    mutating func nextArrived() throws(NetworkingError) -> Item?
}

/// Reads the values of a body of JSON texts.
struct JSONTextReader<Value: Decodable & Sendable>: ItemReader {
    var texts: StreamReader<JSONLinesDecoder>
    let decoder: JSONDecoder

    mutating func next() async throws(NetworkingError) -> Value? {
        guard let item = try await texts.next() else { return nil }
        return try value(of: item)
    }

    mutating func nextArrived() throws(NetworkingError) -> Value? {
        guard let item = try texts.nextArrived() else { return nil }
        return try value(of: item)
    }

    private func value(of item: JSONStreamItem) throws(NetworkingError) -> Value {
        do {
            return try decoder.value(Value.self, inJSON: Data(item.bytes))
        } catch {
            let reason = CodingErrorText.reason(of: error)
            throw texts.unusable("JSON text \(item.number) cannot be decoded: \(reason)", error)
        }
    }
}

extension JSONDecoder {
    /// Decodes a value. `JSONValue` is parsed directly.
    func value<Value: Decodable>(_ type: Value.Type, inJSON text: Data) throws -> Value {
        if type == JSONValue.self, let value = try JSONValue(parsing: text) as? Value { return value }
        return try decode(type, from: text)
    }
}
