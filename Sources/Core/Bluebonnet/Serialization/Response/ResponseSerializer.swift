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
/// and never on the network thread. A serializer must not wait for another operation: the response of that operation
/// may be queued after the serializer's own.
public protocol ResponseSerializer: Sendable {
    /// The type of the parsed value.
    associatedtype Value: Sendable

    /// The statuses and content types that are accepted; they are checked before the body is read. Read once, when the
    /// serializer is passed to an operation or a manager.
    var validation: ResponseValidation { get }

    /// Makes the value from a response that passed `validation`. Throws if the body cannot be parsed.
    ///
    /// A `NetworkingError` is delivered unchanged; any other error is wrapped as `cannotParseResponse`. The library
    /// adds request, response and body to the error.
    ///
    /// - Parameters:
    ///   - response: status, header fields and URL; `response.urlResponse` is Foundation's form.
    ///   - body: the body without its content coding; may be empty.
    func value(for response: ResponseHead, body: Data) throws -> Value

    /// Whether the value is always the unchanged body. Read once, like `validation`. Default false.
    ///
    /// The library then delivers the body without calling the serializer. Has an effect only if `Value` is `Data`.
    var deliversBodyUnchanged: Bool { get }
}

extension ResponseSerializer {
    public var deliversBodyUnchanged: Bool { false }

    /// Returns the value, and throws the serializer's errors as `NetworkingError`.
    func checkedValue(for response: ResponseHead, body: Data) throws(NetworkingError) -> any Sendable {
        try NetworkingError.unlessParsed { try value(for: response, body: body) }
    }
}

extension NetworkingError {
    /// Returns the result of `parse`, and throws its errors as `NetworkingError`.
    static func unlessParsed<Value>(_ parse: () throws -> Value) throws(NetworkingError) -> Value {
        do {
            return try parse()
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.cannotParseResponse, "the body cannot be parsed: \(error)", underlying: error)
        }
    }
}
