// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The parts of a `Set-Cookie` field that libcurl 7.88 reads differently from RFC 6265 (5.2), as far as the jar can
/// correct them afterwards. Later versions read some parts correctly, so that the jar finds nothing to correct there.
/// A value.
struct CookieFault: CurlQuirk, Equatable {
    static let versions = Range<CurlVersion>.all

    /// libcurl 8.14 recognises `__Secure-` and `__Host-` only with this capitalisation, and cannot remove a cookie
    /// whose prefix promise is broken by another path or by a domain: that cookie stays. 7.88 ignores case, and from
    /// 8.23 on such a cookie can be removed; versions between them have not been examined.
    enum CaseOfPromise: CurlQuirk {
        static let versions = CurlVersion(8, 0)..<CurlVersion(8, 23)
    }

    /// A field that begins with a pair without a name sets nothing (RFC 6265, 5.2). libcurl 8.14 makes a cookie
    /// without a name from the pair; 7.88 uses the next pair, and 8.21 uses none. Versions between them have not been
    /// examined.
    enum CookieWithoutName: CurlQuirk {
        static let versions = Range.since(8, 0)
    }

    /// libcurl 8.22 treats `Secure` and `HttpOnly` with a value as unknown attributes. 8.23 reads them as RFC 6265
    /// requires (5.2.5, 5.2.6).
    enum UnreadValues: CurlQuirk {
        static let versions = Range.before(8, 23)
    }

    /// libcurl 8.14 refuses a cookie with tabs around its name or its value. 8.21 strips the tabs, as RFC 6265
    /// requires (5.2); versions between them have not been examined.
    enum RefusedTab: CurlQuirk {
        static let versions = Range.before(8, 15)
    }

    /// libcurl 8.21 lists the path `/` for a cookie whose `Path` does not begin with a slash. An empty `Path` means
    /// the request's path, as RFC 6265 requires (5.2.4). 8.14 lists the value of `Path`; versions between them have
    /// not been examined.
    enum SlashForPath: CurlQuirk {
        static let versions = Range.since(8, 21)
    }

    /// How a version of libcurl reads fields. The quirks with similar names describe the differences.
    struct Reading {
        var keepsNameless = CookieWithoutName.isPresent
        var listsSlash = SlashForPath.isPresent
        var ignoresValues = UnreadValues.isPresent

        /// libcurl 7.88.
        static let oldest = Reading(keepsNameless: false, listsSlash: false, ignoresValues: true)
    }

    /// The name that libcurl has given the cookie.
    private(set) var name: String
    /// Whether the field should set nothing: it begins with a pair without a name (`CookieWithoutName`), or the prefix
    /// of its name makes a promise that the cookie does not keep (`breaksPromise`).
    private(set) var isUnwanted = false
    /// Whether `Secure` and `HttpOnly` have to be applied. They count whatever their values are, but libcurl treats
    /// them as unknown if they have a value.
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// Whether the path is the request's path. libcurl uses `/` for a path that does not begin with a slash.
    private(set) var hasNoPath = false
    /// Whether the cookie is for its host only (RFC 6265, 5.3, step 5), because the host is a public suffix and names
    /// itself as the domain. libcurl checks only other hosts against the public-suffix list.
    private(set) var isTooWide = false
    /// The value of the last `Path`; nil without `Path`, and for an empty `Path` that libcurl reads as RFC 6265
    /// requires.
    private(set) var path: String?

    /// - Parameters:
    ///   - line: a field with its name.
    ///   - reading: how libcurl reads the line.
    ///   - isOfPublicSuffix: whether the response's host is a public suffix. Called only for a line with a domain.
    /// - Returns: nil if libcurl reads the line correctly.
    init?(
        line: String, by reading: Reading = Reading(), isOfPublicSuffix: () -> Bool = { false }
    ) {
        // Parses bytes, as libcurl and servers do: in a Swift string, a combining mark would turn ";" and "=" into
        // other characters.
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let parts = bytes[bytes.index(after: colon)...]
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Part.init)
        // A libcurl that keeps nameless cookies sets nothing if the field begins with white space and a semicolon.
        if reading.keepsNameless, parts[0].isBlank { return nil }
        let isKeptNameless = reading.keepsNameless && parts[0].name.isEmpty && parts[0].value != nil
        let named = isKeptNameless ? 0 : parts.firstIndex { !$0.name.isEmpty }
        guard let first = named, first > 0 || parts[0].value != nil else {
            return nil
        }
        name = parts[first].name
        let attributes = parts[(first + 1)...]
        isUnwanted = first > 0 || isKeptNameless || Self.breaksPromise(name, attributes)
        for attribute in attributes { read(attribute, by: reading, isOfPublicSuffix) }
        guard isUnwanted || isSecure || isHTTPOnly || hasNoPath || isTooWide else { return nil }
    }

    private mutating func read(_ attribute: Part, by reading: Reading, _ isOfPublicSuffix: () -> Bool) {
        guard let value = attribute.value else { return }
        switch attribute.name.lowercased() {
        case "secure": isSecure = reading.ignoresValues
        case "httponly": isHTTPOnly = reading.ignoresValues
        case "path":
            let isDefault = reading.listsSlash && value.isEmpty
            path = isDefault ? nil : value
            hasNoPath = !isDefault && value.utf8.first.map { !"/\"".utf8.contains($0) } ?? true
        case "domain": isTooWide = isTooWide || isOfPublicSuffix()
        default: return
        }
    }

    /// Returns whether a name begins with `__Secure-` or `__Host-`, ignoring case (RFC 6265bis, 4.1.3).
    static func hasPromise(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("__host-") || name.hasPrefix("__secure-")
    }

    /// Returns whether the name of a cookie makes a promise that the cookie keeps. Such a cookie was not set by a line
    /// that breaks the promise.
    static func satisfiesNamePrefix(name: String, isSecure: Bool, isForRootOfHost: Bool) -> Bool {
        guard hasPromise(name), isSecure else { return false }
        return isForRootOfHost || !name.lowercased().hasPrefix("__host-")
    }

    /// Returns whether a name makes a promise that the attributes do not keep.
    private static func breaksPromise(_ name: String, _ attributes: ArraySlice<Part>) -> Bool {
        guard hasPromise(name) else { return false }
        let last = { (wanted: String) in attributes.last { $0.name.lowercased() == wanted } }
        if last("secure") == nil { return true }
        let isForHost = name.lowercased().hasPrefix("__host-")
        return isForHost && (last("path")?.value != "/" || !(last("domain")?.value ?? "").isEmpty)
    }

    /// Merges the corrections for another line with the same name and path.
    mutating func add(_ other: CookieFault) {
        isUnwanted = isUnwanted || other.isUnwanted
        isSecure = isSecure || other.isSecure
        isHTTPOnly = isHTTPOnly || other.isHTTPOnly
        hasNoPath = hasNoPath || other.hasNoPath
        isTooWide = isTooWide || other.isTooWide
    }

    /// A name, and its value if an equals sign follows.
    private struct Part {
        let name: String
        let value: String?
        /// Whether the part consists of white space only, and is not empty.
        let isBlank: Bool

        init(_ text: Substring.UTF8View) {
            isBlank = !text.isEmpty && Self.trimmed(text).isEmpty
            let sides = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            name = Self.trimmed(sides.first ?? text)
            value = sides.count == 2 ? Self.trimmed(sides[1]) : nil
        }

        /// Returns the text without surrounding white space and line end.
        private static func trimmed(_ bytes: Substring.UTF8View) -> String {
            let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
            return String(Substring(bytes[...last].drop(while: isSpace)))
        }
    }
}
