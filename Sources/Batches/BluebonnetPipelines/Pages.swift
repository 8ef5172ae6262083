// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// One page of a paginated resource.
public struct Page<Value: Sendable>: Sendable {
    /// The number of the page, from 1.
    public let number: Int
    /// The response of the page, with its decoded body as `value`.
    public let response: Response<Value>

    /// The decoded body.
    public var value: Value { response.value }

    /// Creates a page, for instance for a test.
    public init(number: Int, response: Response<Value>) { (self.number, self.response) = (number, response) }
}

/// The pages of a resource, requested one after another while they are iterated: the next page is requested when it is
/// asked for. Cancelling the iterating task cancels the request. See `RequestOperationManager.pages(_:next:as:)`.
public struct Pages<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Page<Value>
    public typealias Failure = NetworkingError

    let requests: PageRequests
    let decoder: JSONDecoder?

    public func makeAsyncIterator() -> Iterator { Iterator(requests: requests, decoder: decoder) }

    /// Iterates over the pages. Each iterator begins with the first page.
    public struct Iterator: AsyncIteratorProtocol {
        private var requests: PageRequests
        private let decoder: JSONDecoder?

        fileprivate init(requests: PageRequests, decoder: JSONDecoder?) {
            (self.requests, self.decoder) = (requests, decoder)
        }

        /// Requests the next page; nil after the last.
        ///
        /// - Throws: the error of the request; `tooManyPages`, `paginationLoop`, or `cannotParseResponse` if the body
        ///   does not have the place of the next page. After an error, the iteration has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Page<Value>? {
            try await requests.next(as: Value.self, decoder)
        }

        public mutating func next() async throws(NetworkingError) -> Page<Value>? {
            try await next(isolation: nil)
        }
    }
}
