// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Stores the cookies of servers and sends them back, by the rules of RFC 6265. Operations can share a jar.
///
/// libcurl's engine stores and sends the cookies, with the system's public-suffix list: a server cannot set a cookie
/// for a whole registry such as `co.uk`, and a host that is itself a public suffix cannot set a cookie for its
/// subdomains. Pass a jar to a manager (`Configuration.cookieJar`) or to single operations
/// (`TransferOptions.cookieJar`); any number may share it.
///
/// ```swift
/// let jar = CookieJar()
/// try await jar.load(from: file)
/// var configuration = RequestOperationManager.Configuration()
/// configuration.cookieJar = jar
/// ```
///
/// All members may be used from any thread. A jar stores 3,000 cookies. Soon after it exceeds this number, it drops the
/// oldest cookies of the sites with the most cookies. With libcurl 8.14, cookies expire after at most 400 days.
public final class CookieJar: TransferCookies {
    let store = NetworkBound(CurlCookieStore())

    /// The number of cookies that the network thread processes at once, so that its rounds stay short.
    private static let pieceCount = 100

    /// Makes an empty jar.
    public init() {}

    deinit {
        NetworkThread.shared.submit { [store] in store.value.close() }
    }

    package func openShare() throws(CurlError) -> UnsafeMutableRawPointer { try store.value.openShare() }

    package func receiveCookies(from url: URL, _ origin: Origin) -> any ReceivedCookies {
        ResponseCookies(self, MisreadCookies(url: url, origin: origin))
    }

    /// Called when cookies may have been added. Network thread only, not inside a libcurl call.
    func didAdd(_ count: Int) {
        store.value.countBound += count
        guard store.value.hasTooMany else { return }
        // In a later turn, because listing the cookies takes as long as everything else together.
        NetworkThread.shared.submit { [store] in Self.removeSurplus(of: store) }
    }

    /// Removes cookies if there are too many. A queue selects the cookies.
    private static func removeSurplus(of store: NetworkBound<CurlCookieStore>) {
        guard let lines = store.value.linesToTrim() else { return }
        Queues.preparation.next().async {
            let now = Date()
            let cookies = lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
            let surplus = CookieRules.surplus(cookies)
            let expiredCount = lines.count - cookies.count
            NetworkThread.shared.submit { store.value.countBound -= expiredCount }
            remove(pieces(of: surplus)[...], from: store)
        }
    }

    /// Removes one piece per turn of the network thread.
    private static func remove(_ pieces: ArraySlice<[Cookie]>, from store: NetworkBound<CurlCookieStore>) {
        NetworkThread.shared.submit {
            guard let piece = pieces.first else {
                store.value.isTrimming = false
                return removeSurplus(of: store)  // for cookies that were added in the meantime
            }
            store.value.trim(piece)
            remove(pieces.dropFirst(), from: store)
        }
    }

    private static func pieces(of cookies: [Cookie]) -> [[Cookie]] {
        stride(from: 0, to: cookies.count, by: pieceCount)
            .map { Array(cookies[$0..<min($0 + pieceCount, cookies.count)]) }
    }

    private func onNetworkThread<Result: Sendable>(
        _ work: @escaping @Sendable (CurlCookieStore) -> Result
    ) async -> Result {
        await NetworkThread.shared.answer { [self] in work(store.value) }
    }
}

// MARK: - Contents

extension CookieJar {
    /// All cookies that have not expired.
    public var cookies: [Cookie] {
        get async {
            let lines = await onNetworkThread { $0.lines }
            let now = Date()
            return lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        }
    }

    /// Returns the cookies that a request to the URL would carry, in descending order of path length.
    ///
    /// The path is compared without its segments `.` and `..`, as it is sent. With `TransferOptions.keepsDotSegments`,
    /// a request to `/a/../b` carries the cookies for `/a`; this method returns the cookies for `/b`.
    public func cookies(for url: URL) async -> [Cookie] {
        CookieRules.matching(await cookies, url: url, now: Date())
    }

    /// Stores a cookie, replacing the cookie with the same name, domain and path. An expired cookie only removes the
    /// stored cookie.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the cookie cannot be sent: for control characters, a domain
    ///   that is not a host, a top-level domain, or a `__Host-` cookie that is not secure. The public-suffix list is
    ///   not applied, because the cookie comes from the program.
    public func set(_ cookie: Cookie) async throws(NetworkingError) {
        try cookie.check()
        await add([cookie])
    }

    private func add(_ cookies: [Cookie]) async {
        await NetworkThread.shared.answer { [self] in
            store.value.set(cookies)
            didAdd(cookies.count)
        }
    }

    /// Stores a Foundation cookie; see `set(_:)` with a `Cookie`.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the cookie cannot be sent.
    public func set(_ cookie: HTTPCookie) async throws(NetworkingError) {
        try await set(Cookie(cookie))
    }

    /// Removes the stored cookie with the same name, domain and path, if any.
    public func remove(_ cookie: Cookie) async {
        await onNetworkThread { $0.remove([cookie]) }
    }

    /// Removes all cookies.
    public func removeAll() async {
        await onNetworkThread { $0.removeAll() }
    }

    /// Removes all session cookies (cookies without an expiry date).
    public func removeSessionCookies() async {
        await onNetworkThread { $0.removeSessionCookies() }
    }
}

// MARK: - Files

extension CookieJar {
    /// Writes all cookies, including session cookies, to a file in Netscape's format, which curl also reads. The file
    /// is replaced atomically, and only its owner can read it.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func save(to file: URL) async throws(NetworkingError) {
        let cookies = await cookies
        try await Queues.blocking.run { () throws(NetworkingError) in try CookieFile.write(cookies, to: file.path) }
    }

    /// Adds the cookies of a file in Netscape's format. A cookie in the file replaces the jar's cookie with the same
    /// name, domain and path.
    ///
    /// - Throws: `NetworkingError` with `cannotReadFile`, naming the line, if the file cannot be read or is damaged;
    ///   the jar is then unchanged.
    public func load(from file: URL) async throws(NetworkingError) {
        let cookies = try await Queues.blocking.run { () throws(NetworkingError) in try CookieFile.read(file.path) }
        for piece in Self.pieces(of: cookies) { await add(piece) }
    }
}
