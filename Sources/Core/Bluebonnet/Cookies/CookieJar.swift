// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Cookies that operations share: cookies that servers set are stored and sent back, by the rules of RFC 6265.
///
/// libcurl's engine stores and sends them, with the public-suffix list: a server cannot set a cookie for a whole
/// registry such as `co.uk`, nor one that is such a name itself a cookie for the hosts below it. The list is the
/// system's. Give a jar to a manager (`Configuration.cookieJar`) or to single operations
/// (`TransferOptions.cookieJar`); any number may share it.
///
/// ```swift
/// let jar = CookieJar()
/// try await jar.load(from: file)
/// var configuration = RequestOperationManager.Configuration()
/// configuration.cookieJar = jar
/// ```
///
/// All members may be used from any thread. A jar holds 3,000 cookies; soon after there are more, it drops the oldest
/// cookies of the sites with the most. With libcurl 8.14, no cookie lives longer than 400 days.
public final class CookieJar: TransferCookies {
    let store = NetworkBound(CurlCookieStore())

    /// How many cookies are given to the network thread at once, so that its rounds stay short.
    private static let pieceCount = 100

    /// Makes an empty jar.
    public init() {}

    deinit {
        NetworkThread.shared.submit { [store] in store.value.close() }
    }

    func openShare() throws(CurlError) -> UnsafeMutableRawPointer { try store.value.openShare() }

    func receiveCookies(from url: URL, _ origin: Origin) -> any ReceivedCookies {
        ResponseCookies(self, MisreadCookies(url: url, origin: origin))
    }

    /// Cookies may have been added. Network thread only, not in a call of libcurl's.
    func didAdd(_ count: Int) {
        store.value.countBound += count
        guard store.value.hasTooMany else { return }
        // In a later turn: listing takes as long as all of the rest.
        NetworkThread.shared.submit { [store] in Self.removeSurplus(of: store) }
    }

    /// Removes cookies when there are too many. A queue chooses them.
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

    /// Removes one piece in each turn of the network thread.
    private static func remove(_ pieces: ArraySlice<[Cookie]>, from store: NetworkBound<CurlCookieStore>) {
        NetworkThread.shared.submit {
            guard let piece = pieces.first else {
                store.value.isTrimming = false
                return removeSurplus(of: store)  // of cookies that have come meanwhile
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

// MARK: - What is in it

extension CookieJar {
    /// All cookies that have not expired.
    public var cookies: [Cookie] {
        get async {
            let lines = await onNetworkThread { $0.lines }
            let now = Date()
            return lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        }
    }

    /// Returns the cookies that a request to the URL would carry, in descending order of the length of their paths.
    ///
    /// The path counts without its segments `.` and `..`, as it is sent. With `TransferOptions.keepsDotSegments` a
    /// request to `/a/../b` carries the cookies for `/a`; this method returns the cookies for `/b`.
    public func cookies(for url: URL) async -> [Cookie] {
        CookieRules.matching(await cookies, url: url, now: Date())
    }

    /// Stores a cookie in place of a cookie with its name, domain and path. An expired cookie only removes the stored
    /// cookie.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when the cookie cannot be sent: control characters, a domain
    ///   that is no host, a top-level domain, a `__Host-` cookie that is not secure. The public-suffix list is not
    ///   applied, because the cookie is the program's own.
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

    /// Stores a cookie of Foundation's, like `set(_:)` with a `Cookie`.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when the cookie cannot be sent.
    public func set(_ cookie: HTTPCookie) async throws(NetworkingError) {
        try await set(Cookie(cookie))
    }

    /// Removes the stored cookie with this cookie's name, domain and path, if there is one.
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
    /// Writes all cookies, session cookies included, to a file in Netscape's format, which curl reads too. The file is
    /// replaced atomically, and only its owner may read it.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func save(to file: URL) async throws(NetworkingError) {
        let cookies = await cookies
        try await Queues.blocking.run { () throws(NetworkingError) in try CookieFile.write(cookies, to: file.path) }
    }

    /// Adds the cookies of a file in Netscape's format; a cookie of the file replaces the jar's cookie with that name,
    /// domain and path.
    ///
    /// - Throws: `NetworkingError` with `cannotReadFile`, naming the line, when the file cannot be read or is damaged;
    ///   the jar is not changed then.
    public func load(from file: URL) async throws(NetworkingError) {
        let cookies = try await Queues.blocking.run { () throws(NetworkingError) in try CookieFile.read(file.path) }
        for piece in Self.pieces(of: cookies) { await add(piece) }
    }
}
