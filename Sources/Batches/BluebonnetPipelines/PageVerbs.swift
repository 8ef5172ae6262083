// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

extension Call {
    /// Returns the pages of this call, which is the request of the first page. Nothing is sent before the iteration.
    ///
    /// A page of another origin is requested without the call's credential, client certificate and private header
    /// fields, as after a redirect. A next page that leads from https to http, and one that was requested before, ends
    /// the pages with an error.
    ///
    /// - Parameters:
    ///   - pagination: where the next page is found, and how many pages there may be.
    ///   - type: the type of each page's body, decoded as `value(as:decoder:)` does.
    ///   - decoder: nil for the manager's `decoder`.
    public func pages<Value: Decodable & Sendable>(
        _ pagination: Pagination, as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) -> Pages<Value> {
        Pages(requests: PageRequests(self, pagination), decoder: decoder)
    }

    /// Returns the items of all pages of this call; see `pages(_:as:decoder:)`.
    ///
    /// - Parameters:
    ///   - pagination: where the next page is found, and where the items are.
    ///   - type: the type of an item.
    ///   - decoder: nil for the manager's `decoder`.
    public func items<Value: Decodable & Sendable>(
        _ pagination: Pagination, as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) -> Items<Value> {
        Items(requests: PageRequests(self, pagination), decoder: decoder ?? manager.decoder)
    }
}

extension RequestOperationManager {
    /// Returns the pages of a resource. Each page is requested when the iteration asks for it.
    ///
    /// ```swift
    /// for try await page in manager.pages("users", next: .link, as: [User].self) {
    ///     print(page.number, page.value.count)
    /// }
    /// ```
    ///
    /// Header fields, a body and limits belong to a call: `manager.call("users").header("X", "y").pages(…)`.
    ///
    /// - Parameters:
    ///   - url: the first page, resolved against `baseURL`.
    ///   - parameters: encoded into the query.
    ///   - next: where the next page is found.
    ///   - items: the path of the items, which pages by number or offset count. Default `$[*]`.
    ///   - until: where pages by number or offset end. Default: with a page without items.
    ///   - max: the maximum number of pages. More pages are the error `tooManyPages`. Default 1,000.
    ///   - type: the type of each page's body.
    public func pages<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, next: Pagination.Next, items: JSONPath? = nil,
        until: Pagination.End = .empty, max: Int = Pagination.defaultMaximum, as type: Value.Type = Value.self
    ) -> Pages<Value> {
        let pagination = Pagination(next: next, items: items, until: until, max: max)
        return call(url).parameters(ifAny: parameters).pages(pagination, as: type)
    }

    /// Returns the items of all pages of a resource, one after another. A page is requested when its first item is
    /// asked for.
    ///
    /// ```swift
    /// for try await user in manager.items("users", next: .link, as: User.self) { print(user.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: the first page, resolved against `baseURL`.
    ///   - parameters: encoded into the query.
    ///   - next: where the next page is found.
    ///   - items: the path of the items in a page. Default `$[*]`.
    ///   - until: where pages by number or offset end. Default: with a page without items.
    ///   - max: the maximum number of pages. More pages are the error `tooManyPages`. Default 1,000.
    ///   - type: the type of an item.
    public func items<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, next: Pagination.Next, items: JSONPath? = nil,
        until: Pagination.End = .empty, max: Int = Pagination.defaultMaximum, as type: Value.Type = Value.self
    ) -> Items<Value> {
        let pagination = Pagination(next: next, items: items, until: until, max: max)
        return call(url).parameters(ifAny: parameters).items(pagination, as: type)
    }
}

extension Call {
    fileprivate func parameters(ifAny parameters: Parameters?) -> Call {
        parameters.map { self.parameters($0) } ?? self
    }
}
