// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Checks a response and turns its body into a value.
///
/// Serializers are values that many operations share. The library calls them on its queues, several at the same time,
/// never on the network thread. A serializer must not wait for another operation: the response of that operation may be
/// queued behind the serializer's own.
public protocol ResponseSerializer: Sendable {
    /// What the body becomes.
    associatedtype Value: Sendable

    /// Which statuses and content types are accepted, before the body is looked at.
    var validation: ResponseValidation { get }

    /// Makes the value from a response that passed `validation`; throws when the body cannot be understood.
    ///
    /// A `NetworkingError` is delivered as it is; any other error is wrapped as `cannotParseResponse`.
    func value(for response: HTTPURLResponse, body: Data) throws -> Value
}

extension ResponseSerializer {
    /// The value; what the serializer throws as a `NetworkingError`.
    func checkedValue(for response: HTTPURLResponse, body: Data) throws(NetworkingError) -> any Sendable {
        try NetworkingError.unlessParsed { try value(for: response, body: body) }
    }
}

extension NetworkingError {
    /// What `parse` makes; what it throws as a `NetworkingError`.
    static func unlessParsed<Value>(_ parse: () throws -> Value) throws(NetworkingError) -> Value {
        do {
            return try parse()
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.cannotParseResponse, "the body cannot be understood: \(error)", underlying: error)
        }
    }
}
