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
    /// It gives the text as it is to be sent, without "?". In a URL, a "#" and what a URL cannot hold are escaped;
    /// escapes stay as they are. What it throws is the error of the request: a `NetworkingError` as it is, another one
    /// as `invalidRequest` with the error below it.
    case custom(@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)

    /// The text for a request's parameters.
    func text(for parameters: Parameters, of request: URLRequest) throws -> String {
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
