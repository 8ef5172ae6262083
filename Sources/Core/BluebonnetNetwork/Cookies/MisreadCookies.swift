// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The cookies of one response that libcurl has misread, and the corrections of the jar's cookies. A value type with
/// one fault for each name and path; independent of libcurl.
struct MisreadCookies {
    /// Distinguishes the cookies of one host.
    private struct Key: Hashable {
        let name: ByteString
        let path: ByteString

        init(name: String, path: String) {
            (self.name, self.path) = (ByteString(name), ByteString(CookieRules.comparablePath(path)))
        }
    }

    /// The correction of one cookie in the jar.
    struct Correction: Equatable {
        let cookie: Cookie
        /// Nil if the cookie is to be removed.
        let replacement: Cookie?
    }

    /// libcurl accepts 50 cookies from a response (since 7.84). It does not count lines without a name, with a foreign
    /// domain or a control character, or lines that are too long, so all lines are examined.
    static let acceptedCount = 50

    private let origin: Origin
    private let defaultPath: String
    private let isOfPublicSuffix: Bool
    private let reading: CookieFault.Reading
    /// Each fault has the position of its first line.
    private var faults: [Key: (position: Int, fault: CookieFault)] = [:]
    private var names: Set<ByteString> = []
    /// Whether a cookie of a public suffix would be sent to its subdomains until it is corrected.
    private(set) var hasWideCookie = false

    var isEmpty: Bool { faults.isEmpty }
    /// The number of different names and paths in the lines.
    var count: Int { faults.count }

    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - origin: the URL's origin.
    ///   - reading: how libcurl reads lines.
    init(url: URL, origin: Origin, by reading: CookieFault.Reading = CookieFault.Reading()) {
        (self.origin, self.reading) = (origin, reading)
        defaultPath = CookieRules.defaultPath(of: url)
        isOfPublicSuffix = PublicSuffixes.contain(origin.host)
    }

    /// Adds a `Set-Cookie` line if libcurl misreads it.
    mutating func add(line: String) {
        let fault = CookieFault(line: line, by: reading, isOfPublicSuffix: { isOfPublicSuffix })
        guard let fault else { return }
        hasWideCookie = hasWideCookie || fault.isTooWide
        let key = Key(name: fault.name, path: fault.path ?? defaultPath)
        let position = faults.count
        faults[key, default: (position, fault)].fault.add(fault)
        names.insert(key.name)
    }

    /// Removes all lines after they were corrected.
    mutating func removeAll() { (faults, names, hasWideCookie) = ([:], [], false) }

    /// Returns the position of the first line that may have set a cookie with this name and path; nil without such a
    /// line.
    func position(name: String, path: @autoclosure () -> String) -> Int? {
        guard names.contains(ByteString(name)) else { return nil }
        return faults[Key(name: name, path: path())]?.position
    }

    /// Returns the corrections of the jar's cookies, at most as many as libcurl accepts from a response. More cookies
    /// match only if libcurl has rejected lines.
    ///
    /// - Parameter cookies: in the order of the lines. Read only as far as needed.
    func corrections(of cookies: some Sequence<Cookie>) -> [Correction] {
        Array(cookies.lazy.compactMap(correction).prefix(Self.acceptedCount))
    }

    private func correction(of cookie: Cookie) -> Correction? {
        guard let fault = faults[Key(name: cookie.name, path: cookie.path)]?.fault,
            CookieRules.canBelong(cookie, to: origin.host)
        else { return nil }
        // libcurl has rejected the line: without TLS it does not overwrite a secure cookie, and it does not store a
        // cookie that violates its name prefix (`__Secure-`, `__Host-`).
        let satisfiesNamePrefix = CookieFault.satisfiesNamePrefix(
            name: cookie.name, isSecure: cookie.isSecure,
            isForRootOfHost: cookie.path == "/" && !cookie.includesSubdomains)
        if cookie.isSecure && !origin.isSecure || fault.isUnwanted && satisfiesNamePrefix { return nil }
        // A secure cookie may only be set over TLS.
        if fault.isUnwanted || fault.isSecure && !cookie.isSecure && !origin.isSecure {
            return Correction(cookie: cookie, replacement: nil)
        }
        var corrected = cookie
        if fault.isSecure { corrected.isSecure = true }
        if fault.isHTTPOnly { corrected.isHTTPOnly = true }
        let isOfValue = cookie.path.utf8.first != UInt8(ascii: "/") || reading.listsSlash && cookie.path == "/"
        if fault.hasNoPath, isOfValue { corrected.path = defaultPath }
        if fault.isTooWide, cookie.domain == origin.host.lowercased() { corrected.includesSubdomains = false }
        return corrected == cookie ? nil : Correction(cookie: cookie, replacement: corrected)
    }
}
