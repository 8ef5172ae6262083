// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Parses the first line and the fields of a request. The parser accepts any input, because tests send malformed
/// requests on purpose.
enum RequestHeadParser {
    /// Parses as much as possible of a head, which includes its empty line.
    static func parse(_ head: Data) -> ReceivedRequest {
        var request = ReceivedRequest()
        request.rawHead = head
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.count == 3 {
            (request.method, request.target, request.version) = (words[0], words[1], words[2])
        }
        request.headers = fields(lines.dropFirst())
        return request
    }

    /// Returns the fields of lines without their ends. Lines without a colon are ignored.
    static func fields(_ lines: some Sequence<String>) -> WireFields {
        var fields = WireFields()
        fields.fields = lines.compactMap(field)
        return fields
    }

    private static func field(_ line: String) -> WireFields.Field? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...]
        return .init(name: String(line[..<colon]), value: value.trimmingCharacters(in: .whitespaces))
    }
}
