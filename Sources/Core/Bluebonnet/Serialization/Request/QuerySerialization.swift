// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// How a serializer writes parameters as the text of a query or of a URL-encoded form.
public enum QuerySerialization: Sendable {
    /// By the rules of `QueryEncoder`.
    case standard
    /// By a function of the program's own, which gets the request so far and the parameters.
    ///
    /// The function returns the text to send, without "?". In a URL, "#" and characters that a URL cannot contain are
    /// escaped; existing escapes are kept. An error that the function throws is the request's error: a
    /// `NetworkingError` unchanged, any other error as the `underlying` of an `invalidRequest`.
    case custom(@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)

    /// The text for a request's parameters.
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
                    .invalidRequest, "the parameters could not be encoded by the program's own function: \(error)",
                    underlying: error)
            }
        }
    }
}

/// Removes the values of secrets, recognized by name, from bodies for logs.
enum BodyRedaction {
    /// A form or JSON without secrets; any other body as it is.
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
