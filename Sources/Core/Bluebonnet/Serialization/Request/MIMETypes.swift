// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Content types by file extension: those that are the same on every system, the system's table, and a short table of
/// our own for systems without.
struct MIMETypes: Sendable {
    /// The system's (`/etc/mime.types`, from Debian's package media-types), read once.
    static let ofThisSystem = MIMETypes(table: (try? String(contentsOfFile: "/etc/mime.types", encoding: .utf8)) ?? "")
    /// For a file of which nothing is known.
    static let unknown = "application/octet-stream"

    private var types: [String: String]

    /// Reads a table: a type and its extensions on each line, the rest of a line behind "#" is a comment.
    ///
    /// Of two types for one extension the first counts, as for Apache and Python.
    init(table: String) {
        types = [:]
        for line in table.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let type = words.first, type.contains("/") else { continue }
            for name in words.dropFirst() where types[name.lowercased()] == nil {
                types[name.lowercased()] = String(type)
            }
        }
    }

    /// The type of a file with that extension, whatever its case.
    func type(ofExtension name: String) -> String {
        let name = name.lowercased()
        return Self.fixed[name] ?? types[name] ?? Self.common[name] ?? Self.unknown
    }

    /// Certificates, of which systems say different things: AFNetworking's types.
    private static let fixed = [
        "cer": "application/x-x509-ca-cert", "crt": "application/x-x509-ca-cert",
        "der": "application/x-x509-ca-cert",
    ]

    private static let common = [
        "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
        "gz": "application/gzip", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
        "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain", "wasm": "application/wasm",
        "wav": "audio/x-wav", "webm": "video/webm", "webp": "image/webp", "xml": "application/xml",
        "zip": "application/zip",
    ]
}
