// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The JSON that the server gives: 1,024 bytes of an object with texts, numbers, a truth value and arrays.
enum JSONDocument {
    static let byteCount = 1024

    /// Without quotation marks that would end a word of nginx's settings.
    static let text: String = {
        let items = (1...9).map { number in
            #"{"sku":"A-\#(1000 + number)","price":\#(number).25,"quantity":\#(number * 7),"tags":["new","blue"]}"#
        }
        let head = #"{"id":42,"isOpen":true,"items":[\#(items.joined(separator: ","))],"name":""#
        let tail = #""}"#
        return head + String(repeating: "n", count: byteCount - head.utf8.count - tail.utf8.count) + tail
    }()
}
