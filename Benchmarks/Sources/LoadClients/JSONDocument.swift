// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A JSON document of the server: an object with texts, numbers, a truth value and arrays, which decodes to a
/// `Catalogue`.
package struct JSONDocument: Sendable {
    /// The member `id` of every document.
    package static let id = 42

    /// A document of 1,024 bytes.
    package static let large = JSONDocument(itemCount: 9, byteCount: 1024)
    /// The answer to each request of mixed traffic, of 256 bytes.
    package static let small = JSONDocument(itemCount: 2, byteCount: 256)

    package let byteCount: Int
    /// The text. It contains no quotation marks that would end a word in nginx's settings.
    package let text: String

    private init(itemCount: Int, byteCount: Int) {
        let items = (1...itemCount).map { number in
            #"{"sku":"A-\#(1000 + number)","price":\#(number).25,"quantity":\#(number * 7),"tags":["new","blue"]}"#
        }
        let head = #"{"id":\#(Self.id),"isOpen":true,"items":[\#(items.joined(separator: ","))],"name":""#
        let tail = #""}"#
        self.byteCount = byteCount
        text = head + String(repeating: "n", count: byteCount - head.utf8.count - tail.utf8.count) + tail
    }
}

/// The type to which the JSON of the benchmark is decoded.
struct Catalogue: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        let sku: String
        let price: Double
        let quantity: Int
        let tags: [String]
    }

    let id: Int
    let name: String
    let isOpen: Bool
    let items: [Item]
}
