// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Checks a response and turns its body into a value.
///
/// ```swift
/// struct CSVSerializer: ResponseSerializer {
///     var validation = ResponseValidation(acceptableContentTypes: ["text/csv"])
///
///     func value(for response: ResponseHead, body: Data) throws -> [[Substring]] {
///         guard let text = response.text(of: body) else { throw NetworkingError(.cannotParseResponse, "no text") }
///         return text.split(separator: "\n").map { $0.split(separator: ",") }
///     }
/// }
/// ```
///
/// Serializers are values that many operations share. The library calls them on its queues, several at the same time,
/// never on the network thread. A serializer must not wait for another operation: the response of that operation may be
/// queued behind the serializer's own.
public protocol ResponseSerializer: Sendable {
    /// What the body becomes.
    associatedtype Value: Sendable

    /// Which statuses and content types are accepted, before the body is looked at. Asked once, when the serializer is
    /// given to an operation or a manager.
    var validation: ResponseValidation { get }

    /// Makes the value from a response that passed `validation`; throws when the body cannot be understood.
    ///
    /// A `NetworkingError` is delivered as it is; any other error is wrapped as `cannotParseResponse`. The library adds
    /// request, response and body to the error.
    ///
    /// - Parameters:
    ///   - response: status, header fields and URL; `response.urlResponse` is Foundation's form.
    ///   - body: the body without its content coding; empty when there is none.
    func value(for response: ResponseHead, body: Data) throws -> Value

    /// Whether the value is always the body as it arrived. Asked once, as `validation` is. Default false.
    ///
    /// Such a serializer has nothing to do, so that the library delivers the body without calling it. Counts only where
    /// `Value` is `Data`.
    var deliversBodyUnchanged: Bool { get }
}

extension ResponseSerializer {
    public var deliversBodyUnchanged: Bool { false }

    /// The value; what the serializer throws as a `NetworkingError`.
    func checkedValue(for response: ResponseHead, body: Data) throws(NetworkingError) -> any Sendable {
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
