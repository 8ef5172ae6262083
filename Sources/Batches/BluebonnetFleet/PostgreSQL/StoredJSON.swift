// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Converts JSON texts into a form that every database can store.
enum StoredJSON {
    /// Returns the same JSON with an escape sequence for each non-ASCII character. Such characters occur only in
    /// strings.
    static func ascii(_ json: Data) -> Data {
        var bytes = Data(capacity: json.count)
        for unit in String(decoding: json, as: UTF8.self).utf16 {
            if unit < 0x80 {
                bytes.append(UInt8(unit))
            } else {
                let digits = String(unit, radix: 16)
                bytes.append(contentsOf: "\\u".utf8)
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
                bytes.append(contentsOf: digits.utf8)
            }
        }
        return bytes
    }
}
