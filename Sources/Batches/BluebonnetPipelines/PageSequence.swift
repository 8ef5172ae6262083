// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
package import Foundation

/// The facts of a page that decide about the next one.
package struct PageCandidate: Sendable, Hashable, Codable {
    package enum Next: Sendable, Hashable, Codable {
        case none
        case url(String)
        case cursor(JSONValue)
    }

    package var next = Next.none
    package var itemCount = 0
    /// The total number of items, if the page has it.
    package var total: Int64?
    /// The URLs of the request and of the response.
    package var requestURL: URL?
    package var responseURL: URL?

    package init() {}
}

/// Decides about the pages of one resource: which request is next, and when the pages end. A value without requests.
package struct PageSequence: Sendable {
    package enum Step: Equatable {
        case next(PageChange)
        case end
        case fail(NetworkingError.Code, String)
    }

    /// The facts about the pages so far, without the requests that were made.
    package struct Course: Sendable, Hashable, Codable {
        package fileprivate(set) var pageCount = 0
        package fileprivate(set) var itemCount = 0
        fileprivate var firstOrigin: String?
        fileprivate var hasLeftOrigin = false

        package init() {}
    }

    private let rule: Pagination
    package private(set) var course: Course
    /// The requests made so far, for URLs and cursors.
    private var seen: Set<ByteString> = []

    /// - Parameter course: the pages before. `step(after:)` then detects loops among the later pages only: the caller
    ///   compares `key(of:)` with the requests before.
    package init(_ rule: Pagination, after course: Course = Course()) { (self.rule, self.course) = (rule, course) }

    package var pageCount: Int { course.pageCount }
    package var itemCount: Int { course.itemCount }

    /// The change for the first page; nil if that is the first request unchanged.
    package var first: PageChange? {
        switch rule.next {
        case .page(let parameter, let start): Self.change(parameter, start)
        case .offset(let parameter, _): Self.change(parameter, 0)
        default: nil
        }
    }

    /// Decides what follows a page that succeeded.
    package mutating func step(after page: PageCandidate) -> Step {
        course.pageCount += 1
        course.itemCount += page.itemCount
        if pageCount == 1 {
            course.firstOrigin = page.requestURL.flatMap { Origin($0) }.map { "\($0)" }
            if let key = key(ofFirst: page) { seen.insert(ByteString(key)) }
        }
        let step = next(after: page)
        guard case .next = step, pageCount >= rule.max else { return step }
        let remedy = "raise the maximum if that is right"
        return .fail(.tooManyPages, "\(rule.max) pages are not the last: \(remedy)")
    }

    private mutating func next(after page: PageCandidate) -> Step {
        switch rule.next {
        case .link, .body, .header:
            guard case .url(let text) = page.next else { return .end }
            return next(url: text, of: page.responseURL)
        case .cursor(_, let parameter):
            guard case .cursor(let value) = page.next else { return .end }
            return unseen(PageChange(place: .parameter(parameter, value), hasLeftOrigin: false))
        case .page(let parameter, let start):
            return hasEnded(page, limit: nil) ? .end : .next(Self.change(parameter, start + pageCount))
        case .offset(let parameter, let limit):
            return hasEnded(page, limit: limit) ? .end : .next(Self.change(parameter, pageCount * limit))
        }
    }

    private func hasEnded(_ page: PageCandidate, limit: Int?) -> Bool {
        switch rule.until {
        case .empty: page.itemCount == 0
        case .short: page.itemCount < limit ?? 1
        // A page without items ends the pages too: the total may be wrong.
        case .total: page.itemCount == 0 || page.total.map { Int64(itemCount) >= $0 } ?? false
        }
    }

    private mutating func next(url text: String, of base: URL?) -> Step {
        guard let base, let url = URLText.url(text, relativeTo: base), let origin = Origin(url),
            (try? RequestCheck.url(url.absoluteString)) != nil
        else {
            return .fail(.badServerResponse, "the URL of the next page cannot be used: \(Self.shown(text))")
        }
        if base.scheme?.lowercased() == "https", !origin.isSecure {
            return .fail(.redirectRefused, "the next page leads from https to \(Self.shown(url.absoluteString))")
        }
        if "\(origin)" != course.firstOrigin { course.hasLeftOrigin = true }
        // User information in a URL that the server chose is not a credential of the caller.
        let place = PageChange.Place.url(URLText.withoutUserInfo(url.absoluteString))
        return unseen(PageChange(place: place, hasLeftOrigin: course.hasLeftOrigin))
    }

    private mutating func unseen(_ change: PageChange) -> Step {
        guard let key = key(of: change), !seen.insert(ByteString(key)).inserted else { return .next(change) }
        return loop(to: change)
    }

    /// The failure of a page that leads back to an earlier page.
    package func loop(to change: PageChange) -> Step {
        let request =
            switch change.place {
            case .url(let url): Self.shown(url)
            case .parameter(_, let value): "the cursor \(value.redacted.jsonText.prefix(200))"
            }
        return .fail(.paginationLoop, "page \(pageCount) leads back to an earlier page: \(request)")
    }

    /// The text that identifies a page; nil for numbered pages, which never repeat.
    package func key(of change: PageChange) -> String? {
        switch (rule.next, change.place) {
        case (.page, _), (.offset, _): nil
        // The fragment is not sent.
        case (_, .url(let url)): String(url.prefix { $0 != "#" })
        case (_, .parameter(_, let value)): value.jsonText
        }
    }

    /// `key(of:)` for the first page, which has no change.
    package func key(ofFirst page: PageCandidate) -> String? {
        switch rule.next {
        case .link, .body, .header:
            page.requestURL.map { String(URLText.withoutUserInfo($0.absoluteString).prefix { $0 != "#" }) }
        case .cursor, .page, .offset: nil
        }
    }

    private static func change(_ parameter: Pagination.Parameter, _ value: Int) -> PageChange {
        PageChange(place: .parameter(parameter, .integer(Int64(value))), hasLeftOrigin: false)
    }

    private static func shown(_ text: String) -> String {
        String(URLText.escape(Redaction.url(URLText.withoutUserInfo(text))).prefix(200))
    }
}

extension Pagination {
    /// The path of the items.
    package var itemPath: JSONPath { items ?? .elements }

    /// Returns what a page says about the next one.
    ///
    /// - Throws: `cannotParseResponse` if the body has no JSON that is needed.
    package func candidate(in response: ResponseFacts) throws(NetworkingError) -> PageCandidate {
        do throws(ResponseFacts.Unreadable) {
            var candidate = PageCandidate()
            candidate.responseURL = response.url
            candidate.next = try next(in: response)
            candidate.itemCount = try countItems(in: response)
            if case .total(let path) = until { candidate.total = try response.values(at: path).first?.integer }
            return candidate
        } catch {
            throw NetworkingError(.cannotParseResponse, "the page cannot be used: \(error.reason)")
        }
    }

    /// Counts the items. A body that need not be JSON has 0.
    private func countItems(in response: ResponseFacts) throws(ResponseFacts.Unreadable) -> Int {
        do throws(ResponseFacts.Unreadable) {
            return try response.count(at: itemPath)
        } catch {
            switch next {
            case .link where items == nil, .header where items == nil: return 0
            default: throw error
            }
        }
    }

    private func next(in response: ResponseFacts) throws(ResponseFacts.Unreadable) -> PageCandidate.Next {
        switch next {
        case .link:
            let links = WebLinks(response.values(ofField: "Link"), of: response.url)
            return links["next"].map { .url($0.absoluteString) } ?? .none
        case .body(let path):
            let value = try response.values(at: path).first
            guard let text = value?.string else {
                guard value == nil || value == .null else {
                    throw ResponseFacts.Unreadable(reason: "\(path) is \(value?.jsonText.prefix(50) ?? ""), not a URL")
                }
                return .none
            }
            return text.isEmpty ? .none : .url(text)
        case .header(let name):
            let text = response.values(ofField: name).first ?? ""
            return text.isEmpty ? .none : .url(text)
        case .cursor(.body(let path), _):
            let value = try response.values(at: path).first ?? .null
            return value == .null || value == "" ? .none : .cursor(value)
        case .cursor(.header(let name), _):
            let text = response.values(ofField: name).first ?? ""
            return text.isEmpty ? .none : .cursor(.string(text))
        case .page, .offset: return .none
        }
    }
}

extension JSONPath {
    /// `$[*]`.
    package static let elements = (try? JSONPath("$[*]")).unsafelyUnwrapped
}
