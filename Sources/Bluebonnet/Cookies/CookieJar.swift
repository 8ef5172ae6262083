// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Cookies that operations share: what servers set is kept and goes back to them, by the rules of RFC 6265.
///
/// libcurl's engine does the keeping and the sending, with the public-suffix list: a server cannot set a cookie for a
/// whole registry such as `co.uk`. Give a jar to a manager (`Configuration.cookieJar`) or to single operations
/// (`TransferOptions.cookieJar`); any number may share it.
///
/// ```swift
/// let jar = CookieJar()
/// try await jar.load(from: file)
/// var configuration = RequestOperationManager.Configuration()
/// configuration.cookieJar = jar
/// ```
///
/// All of it may be used from any thread. A jar holds at most 3,000 cookies; beyond that the oldest go of the sites
/// that have the most.
public final class CookieJar: TransferCookies {
    let store = NetworkBound(CurlCookieStore())

    /// How many cookies are given to the network thread at once, so that none of its rounds takes long.
    private static let pieceCount = 100

    /// Makes an empty jar.
    public init() {}

    deinit {
        NetworkThread.shared.submit { [store] in store.value.close() }
    }

    func noteAdded(_ count: Int) { store.value.noteAdded(count) }

    private func onNetworkThread<Result: Sendable>(
        _ work: @escaping @Sendable (CurlCookieStore) -> Result
    ) async -> Result {
        await withCheckedContinuation { waiter in
            NetworkThread.shared.submit { [self] in waiter.resume(returning: work(store.value)) }
        }
    }
}

// MARK: - What is in it

extension CookieJar {
    /// Every cookie that has not expired.
    public var cookies: [Cookie] {
        get async {
            let lines = await onNetworkThread { $0.lines }
            let now = Date()
            return lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        }
    }

    /// The cookies that a request to the URL would carry, those with longer paths first.
    ///
    /// The path without its segments `.` and `..` counts, as it is sent. With `TransferOptions.keepsDotSegments` a
    /// request carries the cookies of the path as it is: to `/a/../b` those for `/a`, where this says those for `/b`.
    public func cookies(for url: URL) async -> [Cookie] {
        CookieRules.matching(await cookies, url: url, now: Date())
    }

    /// Puts a cookie in, instead of one with the same name, domain and path. One that has expired takes that one out.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when it cannot be sent: control characters, a domain that is
    ///   no host, a domain for everybody, a `__Host-` cookie that is not secure. What is set here is not looked up in
    ///   the public-suffix list: it is the program's own.
    public func set(_ cookie: Cookie) async throws(NetworkingError) {
        try cookie.check()
        await onNetworkThread { $0.set([cookie]) }
    }

    /// The same for one of Foundation's.
    public func set(_ cookie: HTTPCookie) async throws(NetworkingError) {
        try await set(Cookie(cookie))
    }

    /// Takes out the cookie with that one's name, domain and path, if it is there.
    public func remove(_ cookie: Cookie) async {
        await onNetworkThread { $0.remove([cookie]) }
    }

    /// Takes out every cookie.
    public func removeAll() async {
        await onNetworkThread { $0.removeAll() }
    }

    /// Takes out the cookies that do not outlive a session.
    public func removeSessionCookies() async {
        await onNetworkThread { $0.removeSessionCookies() }
    }
}

// MARK: - Files

extension CookieJar {
    /// Writes every cookie to a file in Netscape's format, which curl reads too; session cookies are among them. The
    /// file is replaced as a whole, and only its owner may read it.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func save(to file: URL) async throws(NetworkingError) {
        let cookies = await cookies
        try await offTheNetworkThread { () throws(NetworkingError) in try CookieFile.write(cookies, to: file.path) }
    }

    /// Adds the cookies of a file in Netscape's format; those of the file win over those that are there.
    ///
    /// - Throws: `NetworkingError` with `cannotReadFile`, naming the line, when the file cannot be read or is damaged;
    ///   nothing of it is taken then.
    public func load(from file: URL) async throws(NetworkingError) {
        let cookies = try await offTheNetworkThread { () throws(NetworkingError) in try CookieFile.read(file.path) }
        for start in stride(from: 0, to: cookies.count, by: Self.pieceCount) {
            let piece = Array(cookies[start..<min(start + Self.pieceCount, cookies.count)])
            await onNetworkThread { $0.set(piece) }
        }
    }

    private func offTheNetworkThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws(NetworkingError) -> Value
    ) async throws(NetworkingError) -> Value {
        let result: Result<Value, NetworkingError> = await withCheckedContinuation { waiter in
            Queues.preparation.async { waiter.resume(returning: Result { () throws(NetworkingError) in try work() }) }
        }
        return try result.get()
    }
}
