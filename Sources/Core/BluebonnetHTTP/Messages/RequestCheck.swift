// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Checks a caller's input before a connection is opened. Pure; its errors say what is wrong and where.
///
/// libcurl sends a method or a header unchanged, including line ends, and looks up the host of `http:///path` as
/// `path`. Foundation's `URLRequest` changes names and loses values. Check text before passing it to either.
package enum RequestCheck {
    /// Returns the URL of a text, which may be relative to `base`. The empty text is the base itself (RFC 3986, 4.4).
    package static func url(_ text: String, relativeTo base: URL? = nil) throws(NetworkingError) -> URL {
        if Origin.hasPlainURL(text), let url = URL(string: text) { return url }
        if let byte = text.utf8.first(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw badURL(text, "contains \(FieldSyntax.name(ofControl: byte))")
        }
        if text.utf8.contains(0x20) { throw badURL(text, "contains a space, which must be written as %20") }
        let parts = URLText(text)
        if parts.scheme != nil { try scheme(of: parts, text) }
        if parts.authority != nil || parts.scheme != nil { try authority(of: parts, text) }
        guard let absolute = URLText.absolute(text, relativeTo: base), let url = URL(string: absolute) else {
            throw badURL(text, "is not a URL")
        }
        if !Origin.hasPlainURL(absolute) { try check(url) }
        return url
    }

    /// Refuses a URL that is not http or https, has no usable host or port, or could be read in two ways.
    package static func check(_ url: URL) throws(NetworkingError) {
        let text = url.absoluteString
        let parts = URLText(text)
        try scheme(of: parts, text)
        try authority(of: parts, text)
    }

    /// Refuses a method that is not a token, and CONNECT.
    package static func method(_ method: String) throws(NetworkingError) {
        guard FieldSyntax.isToken(method.utf8) else {
            throw NetworkingError(.invalidRequest, "the method \(shown(method)) is not a valid token")
        }
        guard method != "CONNECT" else {
            let text = "the method CONNECT opens a tunnel through a proxy: set the proxy instead"
            throw NetworkingError(.invalidRequest, text)
        }
    }

    /// Refuses a name that is not a token, and a value with a control character other than a tab.
    package static func field(name: String, value: String) throws(NetworkingError) {
        guard FieldSyntax.isToken(name.utf8) else {
            throw NetworkingError(.invalidRequest, "the header \(shown(name)) is not a valid token")
        }
        guard let byte = FieldSyntax.forbiddenByte(inValue: value.utf8) else { return }
        let control = FieldSyntax.name(ofControl: byte)
        throw NetworkingError(.invalidRequest, "the value of header \(name) contains \(control)")
    }

    /// Refuses an idempotency key that cannot be sent, or that is blank and identifies nothing.
    package static func idempotencyKey(_ key: String) throws(NetworkingError) {
        try field(name: HeaderFields.idempotencyKeyName, value: key)
        guard FieldSyntax.isBlank(key) else { return }
        throw NetworkingError(
            .invalidRequest, "the idempotency key is blank: a server cannot recognize the request by it")
    }

    /// Returns the text for a message, without control characters and of a limited length.
    package static func shown(_ text: String, limit: Int = 80) -> String {
        "\"\(FieldSyntax.visible(text, limit: limit))\""
    }
}

// MARK: - The parts of a URL

extension RequestCheck {
    private static func badURL(_ text: String, _ fault: String) -> NetworkingError {
        NetworkingError(.badURL, "the URL \(shown(Redaction.url(URLText.withoutUserInfo(text)))) \(fault)")
    }

    /// Makes an error about a part of the URL. The part is shown, unless it may be part of a password.
    private static func badURL(
        _ text: String, _ parts: URLText, the name: String, _ piece: Substring, _ fault: String
    ) -> NetworkingError {
        badURL(text, parts.isClear ? "has the \(name) \(piece), \(fault)" : "has a \(name) \(fault)")
    }

    private static func scheme(of parts: URLText, _ text: String) throws(NetworkingError) {
        guard let scheme = parts.scheme else {
            throw badURL(text, "has no scheme, and there is no absolute base URL to resolve it against")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            throw badURL(text, parts, the: "scheme", scheme, "which is not http or https")
        }
    }

    private static func authority(of parts: URLText, _ text: String) throws(NetworkingError) {
        let authority = parts.authority ?? ""
        guard !parts.host.isEmpty else { throw badURL(text, "has no host") }
        // Readers disagree about whether a backslash ends the host, and about a second "@": `http://a\@b`.
        if authority.utf8.contains(UInt8(ascii: "\\")) || authority.lowercased().contains("%5c") {
            let remedy = "put a user name with a backslash into TransferOptions.credential"
            throw badURL(text, "has a backslash before its path: \(remedy)")
        }
        if parts.userInfo?.utf8.contains(UInt8(ascii: "@")) == true {
            throw badURL(text, "has more than one @ before its path")
        }
        guard isHost(parts.host) else {
            throw badURL(text, parts, the: "host", parts.host, "which is not a name or address")
        }
        guard let port = parts.port, !port.isEmpty else { return }
        guard FieldSyntax.isNumber(port.utf8), let number = Int(port), (1...65535).contains(number) else {
            throw badURL(text, parts, the: "port", port, "which is not from 1 to 65535")
        }
    }

    /// Returns whether all readers understand the same host: no escapes, and no characters that only some readers
    /// permit.
    package static func isHost(_ host: Substring) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") { return isAddress(host) }
        return host.utf8.allSatisfy { $0 >= 0x80 || $0 == UInt8(ascii: ".") || isNameByte($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(FieldSyntax.lowercase(byte))
    }

    /// Returns whether a text is an IPv6 address in brackets. A zone may follow after "%25" (RFC 6874), or after "%" if
    /// the next two bytes are not an escape: `[::%31]` is `[::1]` for a reader that decodes escapes first.
    private static func isAddress(_ text: Substring) -> Bool {
        guard text.utf8.last == UInt8(ascii: "]") else { return false }
        let inner = text.utf8.dropFirst().dropLast()
        let parts = inner.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        let isAddress = parts[0].contains(UInt8(ascii: ":")) && parts[0].allSatisfy(isAddressByte)
        guard parts.count == 2 else { return isAddress }
        let isEscaped = parts[1].starts(with: "25".utf8)
        let zone = isEscaped ? parts[1].dropFirst(2) : parts[1]
        let isEscape = !isEscaped && zone.count >= 2 && zone.prefix(2).allSatisfy(isHexadecimalDigit)
        return isAddress && !zone.isEmpty && !isEscape
            && zone.allSatisfy { $0 == UInt8(ascii: ".") || isNameByte($0) }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isHexadecimalDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(FieldSyntax.lowercase(byte))
    }
}

// The fields that determine the framing of the body belong to the transport, so a caller cannot set them wrongly.
extension RequestCheck {
    /// The checked fields to send, and the length that they declare for a body of otherwise unknown length.
    package struct Fields {
        /// The caller's fields without `Content-Length`.
        package let sent: [(name: String, value: String)]
        /// The length that the caller declared for a streamed body.
        package let declaredBodyByteCount: Int64?

        package init(sent: [(name: String, value: String)], declaredBodyByteCount: Int64? = nil) {
            self.sent = sent
            self.declaredBodyByteCount = declaredBodyByteCount
        }
    }

    /// Returns whether a field determines the framing of the body. Any other field is sent unchanged after its check.
    package static func isFraming(_ name: String) -> Bool {
        FieldSyntax.isSameName(name, "Content-Length") || FieldSyntax.isSameName(name, "Transfer-Encoding")
    }

    /// Returns whether a field must be checked together with other fields before it is sent.
    package static func concernsConnection(_ name: String) -> Bool {
        isFraming(name) || FieldSyntax.isSameName(name, "TE")
    }

    /// Refuses a field that cannot be sent or that contradicts the body.
    ///
    /// A `Content-Length` with the body's length is left out, because the transport writes it. Another length is an
    /// error, and so are any `Transfer-Encoding` and a `TE` that contains `chunked`. Any other `TE` is added to
    /// `Connection`.
    /// - Parameter bodyByteCount: the body's length; 0 without a body; nil for a stream of unknown length, for which
    ///   `Content-Length` declares the length.
    package static func fields(
        _ fields: [(name: String, value: String)], bodyByteCount: Int64?
    ) throws(NetworkingError) -> Fields {
        var sent: [(name: String, value: String)] = []
        var length = bodyByteCount
        for (name, value) in fields {
            try field(name: name, value: value)
            if FieldSyntax.isSameName(name, "Transfer-Encoding") {
                throw NetworkingError(
                    .invalidRequest,
                    "the header Transfer-Encoding cannot be set: a body stream without a Content-Length is sent "
                        + "chunked over HTTP/1.1; remove the header")
            }
            if FieldSyntax.isSameName(name, "Content-Length") {
                length = try contentLength(value, of: length)
            } else {
                sent.append((name, value))
            }
        }
        try nameTransferCodings(&sent)
        return Fields(sent: sent, declaredBodyByteCount: bodyByteCount == nil ? length : nil)
    }

    /// Names `TE` in `Connection`, because `TE` is for the next server only (RFC 9110, 10.1.4). HTTP/2 has no
    /// `Connection` field, and libcurl omits it there.
    private static func nameTransferCodings(_ fields: inout [(name: String, value: String)]) throws(NetworkingError) {
        guard let codings = fields.first(where: { FieldSyntax.isSameName($0.name, "TE") }) else { return }
        guard !codings.value.lowercased().contains("chunked") else {
            let text = "the header TE names chunked, which is always acceptable (RFC 9112, 7.4): remove it"
            throw NetworkingError(.invalidRequest, text)
        }
        guard let index = fields.firstIndex(where: { FieldSyntax.isSameName($0.name, "Connection") }) else {
            return fields.append((name: "Connection", value: "TE"))
        }
        let options = fields[index].value
        if !ResponseHead.list([options]).contains("te") { fields[index].value = options + ", TE" }
    }

    /// Returns the length that a `Content-Length` declares.
    ///
    /// - Parameter bodyByteCount: the body's length; nil if it is unknown.
    package static func contentLength(_ value: String, of bodyByteCount: Int64?) throws(NetworkingError) -> Int64 {
        guard FieldSyntax.isNumber(value.utf8), let number = Int64(value) else {
            throw NetworkingError(.invalidRequest, "the value of header Content-Length is not a length: \(value)")
        }
        guard number == bodyByteCount ?? number else {
            let fault = "the header Content-Length is \(number), but the body has \(bodyByteCount ?? 0) bytes"
            throw NetworkingError(.invalidRequest, fault)
        }
        return number
    }
}
