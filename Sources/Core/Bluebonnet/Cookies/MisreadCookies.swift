// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The cookies of one response that libcurl has read wrongly, and how the jar's cookies are corrected. A value with one
/// fault for each name and path, which knows no libcurl.
struct MisreadCookies {
    /// What tells cookies of one host apart.
    private struct Key: Hashable {
        let name: ByteString
        let path: ByteString

        init(name: String, path: String) {
            (self.name, self.path) = (ByteString(name), ByteString(CookieRules.comparablePath(path)))
        }
    }

    struct Correction: Equatable {
        let cookie: Cookie
        /// Nil if the cookie is removed.
        let replacement: Cookie?
    }

    /// libcurl accepts 50 cookies of a response (since 7.84). It does not count lines without a name, with a foreign
    /// domain or a control character, or that are too long, so all lines are examined.
    static let acceptedCount = 50

    private let origin: Origin
    private let defaultPath: String
    private let isOfPublicSuffix: Bool
    private let reading: CookieFault.Reading
    /// With the position of the first line.
    private var faults: [Key: (position: Int, fault: CookieFault)] = [:]
    private var names: Set<ByteString> = []
    /// Whether a cookie of a public suffix is sent to the hosts below it until it is corrected.
    private(set) var hasWideCookie = false

    var isEmpty: Bool { faults.isEmpty }
    /// How many names and paths the lines have.
    var count: Int { faults.count }

    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - origin: the URL's.
    ///   - reading: how libcurl reads lines.
    init(url: URL, origin: Origin, by reading: CookieFault.Reading = CookieFault.Reading()) {
        (self.origin, self.reading) = (origin, reading)
        defaultPath = CookieRules.defaultPath(of: url)
        isOfPublicSuffix = PublicSuffixes.contain(origin.host)
    }

    /// Adds a `Set-Cookie` line if libcurl reads the line wrongly.
    mutating func add(line: String) {
        let fault = CookieFault(line: line, by: reading, isOfPublicSuffix: { isOfPublicSuffix })
        guard let fault else { return }
        hasWideCookie = hasWideCookie || fault.isTooWide
        let key = Key(name: fault.name, path: fault.path ?? defaultPath)
        let position = faults.count
        faults[key, default: (position, fault)].fault.add(fault)
        names.insert(key.name)
    }

    /// The lines so far were corrected.
    mutating func removeAll() { (faults, names, hasWideCookie) = ([:], [], false) }

    /// The position of the first line that may have set a cookie with this name and path.
    func position(name: String, path: @autoclosure () -> String) -> Int? {
        guard names.contains(ByteString(name)) else { return nil }
        return faults[Key(name: name, path: path())]?.position
    }

    /// How cookies of the jar are corrected: at most as many as libcurl accepts of a response. More match only where
    /// libcurl has rejected lines.
    ///
    /// - Parameter cookies: in the order of the lines. No more are asked for than needed.
    func corrections(of cookies: some Sequence<Cookie>) -> [Correction] {
        Array(cookies.lazy.compactMap(correction).prefix(Self.acceptedCount))
    }

    private func correction(of cookie: Cookie) -> Correction? {
        guard let fault = faults[Key(name: cookie.name, path: cookie.path)]?.fault,
            CookieRules.mayBe(cookie, of: origin.host)
        else { return nil }
        // libcurl has refused the line: it overlays no secure cookie without TLS, and keeps no broken promise.
        let keepsPromise = CookieFault.keepsPromise(
            name: cookie.name, isSecure: cookie.isSecure,
            isForRootOfHost: cookie.path == "/" && !cookie.includesSubdomains)
        if cookie.isSecure && !origin.isSecure || fault.isUnwanted && keepsPromise { return nil }
        // A secure cookie may be set over TLS only.
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
