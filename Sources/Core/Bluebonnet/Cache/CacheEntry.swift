// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A stored response without its body.
///
/// A cache encodes entries if it stores them outside of the process.
public struct CacheEntry: Sendable, Identifiable, Codable {
    /// The number by which the cache knows the response; 0 before it is stored.
    public var id: Int64 {
        get { response.id }
        set { response.id = newValue }
    }
    /// Separates the responses of different users; see `CacheKeyPair.partition`.
    public let partition: String
    package var response: StoredResponse

    package init(_ response: StoredResponse, partition: String) {
        (self.response, self.partition) = (response, partition)
    }

    /// The URL for which the response is stored, without fragment.
    public var url: String { response.key.text }
    /// The URL without its query.
    public var urlWithoutQuery: String { response.key.withoutQuery }
    /// Whether the response may answer requests with another query (`No-Vary-Search`).
    public var ignoresQuery: Bool { response.ignoresPartsOfQuery }
    /// The origin of the URL, such as `https://example.com:443`.
    public var origin: String { response.key.origin.map(Self.text(of:)) ?? "" }
    /// The groups of the response (RFC 9875).
    public var groups: [String] { response.groups }
    /// The status code.
    public var statusCode: Int { response.statusCode }
    /// The header fields.
    public var headers: HeaderFields { response.headers }
    /// Whether the response must be validated before its next use, even if it is fresh.
    public var isExpired: Bool {
        get { response.isExpired }
        set { response.isExpired = newValue }
    }

    /// The approximate size of the entry in memory, in bytes.
    package var byteCount: Int {
        response.headers.fields.reduce(url.utf8.count + partition.utf8.count + 1024) { sum, field in
            sum + field.name.utf8.count + field.value.utf8.count + 64
        }
    }

    /// The text of an origin, as in `origin`.
    package static func text(of origin: Origin) -> String { "\(origin.scheme)://\(origin.host):\(origin.port)" }
}
