// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// How a serializer writes parameters as the text of a query or of a URL-encoded form.
public enum QuerySerialization: Sendable {
    /// The rules of `QueryEncoder`.
    case standard
    /// A custom function, which receives the request so far and the parameters.
    ///
    /// The function returns the text to send, without "?". In a URL, "#" and characters that a URL cannot contain are
    /// escaped; existing escapes are kept. If the function throws, the request fails: a `NetworkingError` is passed
    /// through unchanged, any other error becomes the `underlying` of an `invalidRequest`.
    case custom(@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)

    /// Returns the text for a request's parameters.
    func text(for parameters: Parameters, of request: URLRequest) throws(NetworkingError) -> String {
        switch self {
        case .standard: return try QueryEncoder().encode(parameters)
        case .custom(let encode):
            do {
                return try encode(request, parameters)
            } catch let error as NetworkingError {
                throw error
            } catch {
                throw NetworkingError(
                    .invalidRequest, "the parameters could not be encoded by the custom function: \(error)",
                    underlying: error)
            }
        }
    }
}

/// Removes the values of secrets, recognized by their names, from bodies in logs.
enum BodyRedaction {
    /// Returns a form or JSON body without secrets, and any other body unchanged.
    static func shown(_ data: Data, contentType: String?) -> Data {
        let type = (contentType ?? "").lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded"), let text = String(validating: data, as: UTF8.self) {
            return Data(Redaction.pairs(text).utf8)
        }
        guard type.hasPrefix("application/"), type.contains("json"), let value = try? JSONValue(parsing: data) else {
            return data
        }
        let shown = value.redacted
        return shown == value ? data : Data(shown.jsonText.utf8)
    }
}
