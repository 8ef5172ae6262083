// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What promises the same bytes when it is the same (RFC 9110, 8.8.1): a strong entity tag, or a date of last
/// modification that was old enough when it was given.
enum StrongValidator: Codable, Equatable, Sendable {
    case entityTag(String)
    case lastModified(String)

    /// The value of `If-Range` (RFC 9110, 13.1.5).
    var fieldValue: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Whether a response that names its representation names this one; nil when it does not name any.
    func names(_ head: ResponseHead) -> Bool? {
        switch self {
        case .entityTag(let tag): head.value(for: "ETag").map { $0 == tag }
        case .lastModified(let date):
            head.value(for: "ETag") == nil ? head.value(for: "Last-Modified").map { $0 == date } : false
        }
    }
}
