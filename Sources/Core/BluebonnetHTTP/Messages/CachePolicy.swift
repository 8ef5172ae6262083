// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How one call uses the response cache.
public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// As RFC 9111 and the fields of request and response say. The default.
    case useProtocol
    /// The request is sent with `Cache-Control: no-cache`, and a stored response is not used. The new response is
    /// stored.
    case reload
    /// A stored response is used only after the server has confirmed it. A fresh response with `immutable` needs no
    /// confirmation (RFC 8246).
    case revalidate
    /// A stored response is used even if it is stale, and the request is never sent. Without a stored response the call
    /// fails.
    case onlyIfCached
    /// A stored response is used even if it is stale. Without a stored response the request is sent.
    case forceCache

    /// Whether a stored response is used regardless of its age and its directives.
    package var ignoresFreshness: Bool { self == .onlyIfCached || self == .forceCache }
}
