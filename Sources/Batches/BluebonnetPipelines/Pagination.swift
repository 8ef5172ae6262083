// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// How the pages of a resource are found: where the next page is, and where pages end.
///
/// ```swift
/// var pagination = Pagination(next: .offset(.query("skip"), limit: 100))
/// pagination.items = try JSONPath("$.results[*]")
/// pagination.until = .total(try JSONPath("$.total"))
/// ```
public struct Pagination: Sendable, Hashable {
    /// Where the next page is found.
    public enum Next: Sendable, Hashable {
        /// The target of the `Link` field with the relation `next` (RFC 8288).
        case link
        /// A URL at a path of the body, absolute or relative to the page.
        case body(JSONPath)
        /// A URL in a header field.
        case header(String)
        /// A value for a parameter.
        case cursor(Cursor, into: Parameter)
        /// The number of the page.
        case page(Parameter, start: Int)
        /// The number of items before the page.
        case offset(Parameter, limit: Int)
    }

    /// Where a cursor is found.
    public enum Cursor: Sendable, Hashable {
        case body(JSONPath)
        case header(String)
    }

    /// The part of the request that the next page changes.
    public enum Parameter: Sendable, Hashable {
        /// A parameter of the URL's query.
        case query(String)
        /// A member of the JSON body.
        case json(String)
    }

    /// The page at which numbered pages end.
    public enum End: Sendable, Hashable {
        /// A page without items. The default.
        case empty
        /// A page with fewer items than the limit.
        case short
        /// The page with which the number of items reaches the total at a path of the body.
        case total(JSONPath)
    }

    /// The maximum number of pages, if none is set: 1,000.
    public static let defaultMaximum = 1_000

    /// Where the next page is found.
    public var next: Next
    /// The items of a page; nil means `$[*]`.
    public var items: JSONPath?
    /// Where numbered pages end.
    public var until = End.empty
    /// The maximum number of pages. More pages are the failure `tooManyPages`.
    public var max = Pagination.defaultMaximum

    /// Makes a pagination.
    ///
    /// - Parameters:
    ///   - next: where the next page is found.
    ///   - items: the path of the items; nil means `$[*]`.
    ///   - until: where pages by number or offset end. Default: with a page without items.
    ///   - max: the maximum number of pages. Default 1,000.
    public init(
        next: Next, items: JSONPath? = nil, until: End = .empty, max: Int = Pagination.defaultMaximum
    ) {
        (self.next, self.items, self.until, self.max) = (next, items, until, max)
    }
}
