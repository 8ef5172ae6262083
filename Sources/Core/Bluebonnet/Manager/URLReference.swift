// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The URL argument of a call: a `String` or a `URL`, absolute or relative to the manager's base URL (RFC 3986, 4.1).
///
/// ```swift
/// let me: JSONValue = try await manager.get("me")
/// let picture = try await manager.get(URL(string: "https://api.example.com/v1/picture")!)
/// ```
public protocol URLReference: Sendable {
    /// The reference that is resolved against the base URL. The empty text is the base URL itself.
    var urlReference: String { get }
}

extension String: URLReference {
    /// The text itself.
    public var urlReference: String { self }
}

extension URL: URLReference {
    /// The absolute URL, resolved against this URL's own base.
    public var urlReference: String { absoluteString }
}
