// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Which fields of a response are stored (RFC 9111, 3.1), and which of them a newer response changes (3.2).
enum StoredFields {
    /// Fields of one connection (RFC 9110, 7.6.1), and of a proxy.
    private static let transient: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization",
    ]
    /// Fields of the stored bytes, which a response without these bytes does not change.
    private static let ofBytes: Set = ["content-length", "content-encoding", "content-range"]

    /// Returns the fields to store, with a `Date` (RFC 9110, 6.6.1).
    static func stored(_ headers: HeaderFields, _ directives: CacheDirectives, receivedAt: Date) -> HeaderFields {
        var stored = HeaderFields(lasting(headers, directives))
        if stored["Date"] == nil { stored.add(name: "Date", value: HTTPDate.text(of: receivedAt)) }
        return stored
    }

    /// Returns the stored fields after an update by a 304, a HEAD or a part.
    static func updated(_ stored: HeaderFields, by headers: HeaderFields, receivedAt: Date) -> HeaderFields {
        let directives = CacheDirectives(headers.values(for: "Cache-Control"))
        var changes = lasting(headers, directives).filter { !ofBytes.contains($0.name.lowercasedASCII) }
        if !headers.contains(name: "Date") {
            changes.append(HeaderFields.Field(name: "Date", value: HTTPDate.text(of: receivedAt)))
        }
        let names = Set(changes.map(\.nameKey)).union(directives.noCacheFields.map(ByteString.init))
        // The age of the stored response does not apply to the confirmed one.
        let kept = stored.fields.filter { !names.contains($0.nameKey) && !$0.hasName("Age") }
        return HeaderFields(kept + changes)
    }

    /// Returns the fields without those that must not be stored, and without those that `no-cache="…"` names: these
    /// would have to be validated before each use.
    private static func lasting(_ headers: HeaderFields, _ directives: CacheDirectives) -> [HeaderFields.Field] {
        let listed = ResponseHead.list(headers.values(for: "Connection")) + directives.noCacheFields
        let omitted = listed.isEmpty ? transient : transient.union(listed)
        return headers.fields.filter { !omitted.contains($0.name.lowercasedASCII) }
    }
}
