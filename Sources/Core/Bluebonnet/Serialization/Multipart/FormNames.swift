// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes the names of fields and files in a multipart form by the WHATWG's algorithm. Pure text.
enum FormNames {
    /// Returns the text with `"`, carriage return and line feed percent-escaped, so that it cannot end its quoted
    /// string.
    static func escape(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): result += "%22".utf8
            case UInt8(ascii: "\r"): result += "%0D".utf8
            case UInt8(ascii: "\n"): result += "%0A".utf8
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the text with every line end as carriage return and line feed. The algorithm applies this step to names
    /// first.
    static func withNetworkLineEnds(_ text: String) -> String {
        var result: [UInt8] = []
        var isBehindReturn = false
        for byte in text.utf8 {
            if isBehindReturn, byte != UInt8(ascii: "\n") { result.append(UInt8(ascii: "\n")) }
            if byte == UInt8(ascii: "\n"), !isBehindReturn { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
            isBehindReturn = byte == UInt8(ascii: "\r")
        }
        if isBehindReturn { result.append(UInt8(ascii: "\n")) }
        return String(decoding: result, as: UTF8.self)
    }
}
