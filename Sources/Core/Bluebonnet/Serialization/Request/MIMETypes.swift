// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Maps file extensions to content types: a few types that are the same on every system, the system's table, and a
/// short built-in table for systems without one.
struct MIMETypes: Sendable {
    /// The types of the system (`/etc/mime.types`, from Debian's package media-types), read once.
    static let ofThisSystem = MIMETypes(table: (try? String(contentsOfFile: "/etc/mime.types", encoding: .utf8)) ?? "")
    /// The type for a file of unknown content.
    static let unknown = "application/octet-stream"

    private var types: [String: String]

    /// Reads a table. Each line has a type and its extensions; text after "#" is a comment.
    ///
    /// If an extension has two types, the first counts, as for Apache and Python.
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

    /// Returns the type for a file extension, compared without regard to case.
    func type(ofExtension name: String) -> String {
        let name = name.lowercased()
        return Self.fixed[name] ?? types[name] ?? Self.common[name] ?? Self.unknown
    }

    /// Types of certificates, which differ between systems. These are AFNetworking's types.
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
