// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes rows of CSV (RFC 4180). A field is put in quotation marks only if a reader needs them.
package enum CSVWriter {
    /// Returns a row with its line end.
    ///
    /// - Parameters:
    ///   - fields: at least one field.
    ///   - lineEnd: CR LF by the RFC.
    package static func row(_ fields: [String], lineEnd: String = "\r\n") -> String {
        precondition(!fields.isEmpty, "a row of CSV has at least one field")
        // Without quotation marks, the row would be an empty line, which readers skip.
        if fields.count == 1, fields[0].isEmpty { return "\"\"" + lineEnd }
        return fields.map(field).joined(separator: ",") + lineEnd
    }

    /// Returns a field as it is written.
    package static func field(_ text: String) -> String {
        guard needsQuotes(text) else { return text }
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { quoted.append(byte) }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "\""))
        return String(decoding: quoted, as: UTF8.self)
    }

    /// Returns whether readers would change or split a bare text: commas, quotation marks and line ends, spaces at
    /// either end, and a byte order mark at the start.
    private static func needsQuotes(_ text: String) -> Bool {
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: " ") || bytes.last == UInt8(ascii: " ") { return true }
        return bytes.contains { ",\"\r\n".utf8.contains($0) } || bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }
}
