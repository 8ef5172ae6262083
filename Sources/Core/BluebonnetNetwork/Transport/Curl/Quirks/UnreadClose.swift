// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 keeps a connection after `Connection: x, close`, because it reads the field as one word. 7.88 finds
/// the word in a list; versions between them have not been examined. Where the quirk is present, the library reads the
/// field and closes the connection.
enum UnreadClose: CurlQuirk {
    static let versions = Range.since(8, 0)

    /// Returns whether libcurl may keep a connection that the HTTP/1 server closes.
    static func concerns(_ head: ResponseHead) -> Bool { isPresent && announcesClose(head) }

    /// Returns whether the server closes the connection after the response (RFC 9112, 9.3).
    static func announcesClose(_ head: ResponseHead) -> Bool {
        head.values(for: "Connection").contains { value in
            value.split(separator: ",").contains {
                FieldSyntax.isSameName(String(Substring(FieldSyntax.trimmed($0.utf8))), "close")
            }
        }
    }
}
