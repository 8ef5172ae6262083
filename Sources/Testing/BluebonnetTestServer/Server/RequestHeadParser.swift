// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Reads the first line and the fields of a request. It forgives everything, because tests send nonsense on purpose.
enum RequestHeadParser {
    /// What can be made of the bytes of a head, its empty line included.
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

    /// The fields of lines that have no end any more. A line without a colon is none.
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
