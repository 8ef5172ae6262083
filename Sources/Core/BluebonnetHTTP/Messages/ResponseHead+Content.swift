// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// Properties of the body, for serializers.
extension ResponseHead {
    /// The value of `Content-Type`, with its parameters; nil without that field.
    public var contentType: String? { headers["Content-Type"] }

    /// The media type of the body (RFC 9110, 8.3.1) in lower case, without parameters, for instance `text/html`; nil
    /// without a `Content-Type`.
    public var mediaType: String? { contentType.map(Self.mediaType) }

    /// The charset parameter of `Content-Type` in lower case, for instance `iso-8859-1`; nil without a charset.
    public var charset: String? { contentType.flatMap(BodyEncoding.charset) }

    /// The encoding that the charset names; UTF-8 if the charset is missing or unknown.
    public var textEncoding: String.Encoding { textEncoding(fallback: .utf8) }

    /// Returns the encoding that the charset names; `fallback` if the charset is missing or unknown.
    package func textEncoding(fallback: String.Encoding) -> String.Encoding {
        BodyEncoding.foundationEncoding(ofCharset: charset, fallback: fallback)
    }

    /// Returns the body as text in the encoding of its byte order mark, otherwise of its charset, otherwise in UTF-8;
    /// nil if the bytes are not text in that encoding.
    public func text(of body: Data) -> String? { text(of: body, fallback: .utf8) }

    /// Returns the body as text, with a fallback other than UTF-8 if neither a byte order mark nor a charset names an
    /// encoding.
    package func text(of body: Data, fallback: String.Encoding) -> String? {
        BodyEncoding(ofText: body, charset: charset, fallback: fallback).text(of: body)
    }

    /// The file name that the response suggests for its body: from `Content-Disposition` (RFC 6266), otherwise the last
    /// component of the URL's path, otherwise `download`. The name is one path component of at most 255 bytes and safe
    /// to use.
    public var suggestedFileName: String { SuggestedFileName.name(for: self) }

    /// Whether an empty body is valid for this response: its status has no body (RFC 9110, 15.3.5 and 15.3.6), it
    /// answers a HEAD request, or it states the length of a body that was not requested.
    ///
    /// The transport has ensured that a body of the announced length arrived, if a body was expected.
    public var mayLackBody: Bool {
        [204, 205, 304].contains(statusCode) || method == "HEAD" || (contentLength ?? 0) > 0
    }

    /// Returns the media type of a `Content-Type` field, in lower case.
    package static func mediaType(of field: String) -> String {
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }
        return Substring(FieldSyntax.trimmed(type)).lowercased()
    }
}

extension ResponseHead {
    /// The status codes of redirects (RFC 9110, 15.4), without 304.
    package static let redirectStatusCodes = IndexSet([300, 301, 302, 303, 307, 308])
}

// MARK: - For logs

extension ResponseHead {
    private static let excerptLength = 200
    /// Larger JSON bodies are not parsed for an excerpt.
    private static let parsedByteCount = 16 * 1024

    /// Returns the beginning of a text body on one line; nil for other bodies. Values with secret names are replaced:
    /// members of JSON, and in other text the word after such a name and `=` or `:`.
    package func excerpt(of body: Data) -> String? {
        guard let mediaType, !body.isEmpty else { return nil }
        let isJSON = mediaType.hasSuffix("/json") || mediaType.hasSuffix("+json")
        guard isJSON || mediaType.hasPrefix("text/") || mediaType.hasSuffix("/xml") || mediaType.hasSuffix("+xml")
        else { return nil }
        if isJSON, body.count <= Self.parsedByteCount, let value = try? JSONValue(parsing: body) {
            return Self.line(value.description)
        }
        // The cut may split a character, which would make the bytes invalid UTF-8.
        let start = (0..<4).lazy.compactMap { self.text(of: body.prefix(4 * Self.excerptLength).dropLast($0)) }.first
        return start.flatMap { Self.line(Redaction.text($0)) }
    }

    private static func line(_ text: String) -> String? {
        let words = text.unicodeScalars.split { $0.value <= 0x20 || $0.value == 0x7F }
        let line = words.map { String($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line.count > excerptLength ? line.prefix(excerptLength) + "…" : line
    }
}

extension ResponseHead: CustomStringConvertible {
    /// Status, method and URL for a log: `200 OK (GET https://api.example.com/users/1)`. The URL contains no secrets.
    public var description: String {
        let phrase = reasonPhrase.isEmpty ? "" : " " + reasonPhrase
        return "\(statusCode)\(phrase) (\(method.map { $0 + " " } ?? "")\(Redaction.url(url.absoluteString)))"
    }
}
