// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The parts of a `Set-Cookie` field that libcurl 7.88 reads otherwise than RFC 6265 (5.2) says, as far as the jar can
/// correct them afterwards. Later versions correct some of these themselves: there the jar finds nothing to correct. A
/// value.
struct CookieFault: CurlQuirk, Equatable {
    static let versions = Range<CurlVersion>.all

    /// libcurl 8.14 knows `__Secure-` and `__Host-` in these cases of the letters alone, and cannot remove a cookie
    /// whose promise is broken by another path or by a domain: that one stays. 7.88 knows all cases, and from 8.23 such
    /// a cookie can be removed; versions between them have not been examined.
    enum CaseOfPromise: CurlQuirk {
        static let versions = CurlVersion(8, 0)..<CurlVersion(8, 23)
    }

    /// A field that begins with a pair without a name sets nothing (RFC 6265, 5.2). libcurl 8.14 makes a cookie without
    /// a name of it; 7.88 takes the next pair, and 8.21 takes none. Versions between them have not been examined.
    enum CookieWithoutName: CurlQuirk {
        static let versions = Range.since(8, 0)
    }

    /// libcurl 8.22 takes `Secure` and `HttpOnly` with a value for unknown attributes. 8.23 reads them as RFC 6265 says
    /// (5.2.5, 5.2.6).
    enum UnreadValues: CurlQuirk {
        static let versions = Range.before(8, 23)
    }

    /// libcurl 8.14 refuses a cookie with tabs around its name or its value. 8.21 leaves them out, as RFC 6265 says
    /// (5.2); versions between them have not been examined.
    enum RefusedTab: CurlQuirk {
        static let versions = Range.before(8, 15)
    }

    /// libcurl 8.21 lists the path `/` for a cookie whose `Path` begins with no slash, and an empty `Path`
    /// means the request's path, as RFC 6265 says (5.2.4). 8.14 lists the value of `Path`; versions between them have
    /// not been examined.
    enum SlashForPath: CurlQuirk {
        static let versions = Range.since(8, 21)
    }

    /// How a version of libcurl reads fields; see the quirks of these names.
    struct Reading {
        var keepsNameless = CookieWithoutName.isPresent
        var listsSlash = SlashForPath.isPresent
        var ignoresValues = UnreadValues.isPresent

        /// libcurl 7.88.
        static let oldest = Reading(keepsNameless: false, listsSlash: false, ignoresValues: true)
    }

    /// The name that libcurl has given the cookie.
    private(set) var name: String
    /// The field sets nothing. It begins with a pair without a name (`CookieWithoutName`), or its name makes a promise
    /// that it does not keep (`breaksPromise`).
    private(set) var isUnwanted = false
    /// `Secure` and `HttpOnly` count whatever their values are: libcurl takes those with a value for unknown ones.
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// The path is the request's: libcurl takes one that does not begin with a slash for `/`.
    private(set) var hasNoPath = false
    /// The cookie is for its host alone (RFC 6265, 5.3, step 5): the host is a public suffix, and names itself as the
    /// domain. libcurl asks the public-suffix list about other hosts only.
    private(set) var isTooWide = false
    /// The value of the last `Path`; nil without one, and where libcurl reads an empty one as RFC 6265 says.
    private(set) var path: String?

    /// - Parameters:
    ///   - line: a field with its name.
    ///   - reading: how libcurl reads it.
    ///   - isOfPublicSuffix: whether the response's host is a public suffix. Called for a line with a domain only.
    /// - Returns: nil if libcurl reads the line correctly.
    init?(
        line: String, by reading: Reading = Reading(), isOfPublicSuffix: () -> Bool = { false }
    ) {
        // Bytes, as libcurl and servers read them: a combining mark makes another character of ";" and of "=".
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let parts = bytes[bytes.index(after: colon)...]
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Part.init)
        // libcurl that keeps nameless cookies sets nothing when the field begins with white space and a semicolon.
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

    /// Whether a name begins with `__Secure-` or `__Host-`, in whatever case (RFC 6265bis, 4.1.3).
    static func hasPromise(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("__host-") || name.hasPrefix("__secure-")
    }

    /// Whether the name of a cookie makes a promise that the cookie keeps: then no line that breaks it has set the
    /// cookie.
    static func keepsPromise(name: String, isSecure: Bool, isForRootOfHost: Bool) -> Bool {
        guard hasPromise(name), isSecure else { return false }
        return isForRootOfHost || !name.lowercased().hasPrefix("__host-")
    }

    /// Whether a name has such a beginning, and its attributes do not keep the promise.
    private static func breaksPromise(_ name: String, _ attributes: ArraySlice<Part>) -> Bool {
        guard hasPromise(name) else { return false }
        let last = { (wanted: String) in attributes.last { $0.name.lowercased() == wanted } }
        if last("secure") == nil { return true }
        let isForHost = name.lowercased().hasPrefix("__host-")
        return isForHost && (last("path")?.value != "/" || !(last("domain")?.value ?? "").isEmpty)
    }

    /// Adds what another line with the name and the path needs.
    mutating func add(_ other: CookieFault) {
        isUnwanted = isUnwanted || other.isUnwanted
        isSecure = isSecure || other.isSecure
        isHTTPOnly = isHTTPOnly || other.isHTTPOnly
        hasNoPath = hasNoPath || other.hasNoPath
        isTooWide = isTooWide || other.isTooWide
    }

    /// A name, and its value if it has an equals sign.
    private struct Part {
        let name: String
        let value: String?
        /// Whether it is white space only, and not empty.
        let isBlank: Bool

        init(_ text: Substring.UTF8View) {
            isBlank = !text.isEmpty && Self.trimmed(text).isEmpty
            let sides = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            name = Self.trimmed(sides.first ?? text)
            value = sides.count == 2 ? Self.trimmed(sides[1]) : nil
        }

        /// Without white space, and the line's end, around it.
        private static func trimmed(_ bytes: Substring.UTF8View) -> String {
            let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
            return String(Substring(bytes[...last].drop(while: isSpace)))
        }
    }
}
