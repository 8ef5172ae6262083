// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 keeps a connection after `Connection: x, close`: it reads the field as one word. 7.88 finds the word in
/// a list; versions between them have not been examined. Where the quirk is present, the library reads the field, and
/// has the connection closed.
enum UnreadClose: CurlQuirk {
    static let versions = Range.since(8, 0)

    /// Whether libcurl may keep a connection that the server of HTTP/1 closes.
    static func concerns(_ head: ResponseHead) -> Bool { isPresent && announcesClose(head) }

    /// Whether the server closes the connection after the response (RFC 9112, 9.3).
    static func announcesClose(_ head: ResponseHead) -> Bool {
        head.values(for: "Connection").contains { value in
            value.split(separator: ",").contains {
                FieldSyntax.isSameName(String(Substring(FieldSyntax.trimmed($0.utf8))), "close")
            }
        }
    }
}
