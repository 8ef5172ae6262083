// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// The items of all pages of a resource, one after another, decoded one by one. See
/// `RequestOperationManager.items(_:next:as:)`.
///
/// Memory holds one page. The next page is requested when its first item is asked for.
public struct Items<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = NetworkingError

    let requests: PageRequests
    let decoder: JSONDecoder

    public func makeAsyncIterator() -> Iterator { Iterator(requests: requests, decoder: decoder) }

    /// Iterates over the items. Each iterator begins with the first page.
    public struct Iterator: AsyncIteratorProtocol {
        private var requests: PageRequests
        private let decoder: JSONDecoder
        private var page: PageItems?

        fileprivate init(requests: PageRequests, decoder: JSONDecoder) {
            (self.requests, self.decoder) = (requests, decoder)
        }

        /// Returns the next item, and requests the next page if needed; nil after the last item.
        ///
        /// - Throws: as `Pages.Iterator.next(isolation:)`; `cannotParseResponse` with the numbers of page and item if
        ///   an item cannot be decoded. After an error, the iteration has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Value? {
            while true {
                if var page {
                    self.page = nil
                    let item = try page.next(as: Value.self, decoder)
                    if let item {
                        self.page = page
                        return item
                    }
                }
                guard let response = try await requests.next(as: Data.self, nil) else { return nil }
                page = try PageItems(of: response, at: requests.itemPath)
            }
        }

        public mutating func next() async throws(NetworkingError) -> Value? { try await next(isolation: nil) }
    }
}

/// The items of one page, decoded when they are asked for.
struct PageItems {
    private let page: Page<Data>
    private var items: ArraySlice<Range<Int>>
    private let text: Data
    private var itemNumber = 0

    /// - Throws: `cannotParseResponse` if the body is not JSON.
    init(of page: Page<Data>, at path: JSONPath) throws(NetworkingError) {
        self.page = page
        do {
            let body = page.value
            let facts = ResponseFacts(page.response.head, body: body, byteCount: body.count, duration: 0)
            (text, items) = try facts.items(at: path)
        } catch {
            throw NetworkingError(
                .cannotParseResponse,
                "page \(page.number) of \(Redaction.url(page.response.url.absoluteString)) has no items: \(error)")
        }
    }

    mutating func next<Value: Decodable>(
        as type: Value.Type, _ decoder: JSONDecoder
    ) throws(NetworkingError) -> Value? {
        guard let range = items.popFirst() else { return nil }
        itemNumber += 1
        let item = text.subdata(in: text.startIndex + range.lowerBound..<text.startIndex + range.upperBound)
        do {
            if type == JSONValue.self, let value = try JSONValue(parsing: item) as? Value { return value }
            return try decoder.decode(type, from: item)
        } catch {
            let place = "item \(itemNumber) of page \(page.number) (\(Redaction.url(page.response.url.absoluteString)))"
            throw NetworkingError(
                .cannotParseResponse, "\(place) cannot be decoded: \(CodingErrorText.reason(of: error))",
                underlying: error)
        }
    }
}

extension ResponseFacts {
    /// The JSON text of values at a path, and where each of them is.
    func items(at path: JSONPath) throws -> (text: Data, ranges: ArraySlice<Range<Int>>) {
        let text = try jsonText()
        var ranges: ArraySlice<Range<Int>> = []
        if path.hasRanges {
            do {
                try text.withUnsafeBytes { bytes in
                    try path.forEachRange(inText: bytes) { range in
                        ranges.append(range)
                        return true
                    }
                }
                return (text, ranges)
            } catch is JSONPathRepeatedMember {
                ranges = []
            }
        }
        var copy = Data()
        for value in try values(at: path) {
            let start = copy.count
            copy.append(contentsOf: value.jsonText.utf8)
            ranges.append(start..<copy.count)
        }
        return (copy, ranges)
    }
}
