// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// libcurl's cookie engine for a jar: a share that easy handles are attached to, and a separate handle that lists and
/// changes its cookies. Network thread only; call `close()` there before releasing the store.
///
/// The share needs no locks, because it is used on one thread only.
final class CurlCookieStore {
    private var opened: (share: UnsafeMutableRawPointer, handle: EasyHandle)?
    /// An upper bound for the number of cookies.
    var countBound = 0
    /// Whether surplus cookies are being chosen and removed.
    var isTrimming = false
    /// The number of listings of all cookies; `commandCount` is the number of cookies set or removed. libcurl goes
    /// through all cookies for each of them, and listing is quadratic in libcurl 7.88.
    private(set) var listingCount = 0
    private(set) var commandCount = 0
    var isOpen: Bool { opened != nil }

    /// Returns the share by which easy handles send the store's cookies and store new ones.
    ///
    /// - Throws: CURLE_NOT_BUILT_IN if this libcurl has no public-suffix list. Any site could then set a cookie for a
    ///   whole registry, and a jar that permits this is worse than no jar.
    func openShare() throws(CurlError) -> UnsafeMutableRawPointer {
        guard Self.knowsPublicSuffixes else { throw CurlError(code: CURLE_NOT_BUILT_IN.rawValue) }
        return try open().share
    }

    private static let knowsPublicSuffixes: Bool = {
        guard let version = curl_version_info(CURLVERSION_TENTH) else { return false }
        return version.pointee.features & CURL_VERSION_PSL != 0
    }()

    private func open() throws(CurlError) -> (share: UnsafeMutableRawPointer, handle: EasyHandle) {
        if let opened { return opened }
        guard let share = curl_share_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY.rawValue) }
        guard bluebonnet_share_setopt_data(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK else {
            curl_share_cleanup(share)
            throw CurlError(code: CURLE_NOT_BUILT_IN.rawValue)
        }
        let handle = EasyHandle()
        opened = (share, handle)
        try handle.setCookieShare(share)
        return (share, handle)
    }

    /// Releases the share and the handle. No transfer is attached any more, because each transfer retains its jar.
    func close() {
        guard let opened else { return }
        opened.handle.close()
        curl_share_cleanup(opened.share)
        self.opened = nil
    }

    /// libcurl's objects must not be freed on another thread: a release build leaks them instead.
    deinit { assert(opened == nil, "a cookie store was released without close()") }
}

@available(*, unavailable)
extension CurlCookieStore: Sendable {}

// MARK: - Contents

extension CurlCookieStore {
    /// Every cookie as a line of Netscape's format, expired ones included, the oldest of a site first.
    var lines: [String] { lines { _ in true } }

    /// Returns the lines that satisfy a condition.
    func lines(where isWanted: (UnsafePointer<CChar>) -> Bool) -> [String] {
        listingCount += 1
        return opened?.handle.lines(CURLINFO_COOKIELIST, where: isWanted) ?? []
    }

    /// Passes a line or one of libcurl's commands to the engine (CURLOPT_COOKIELIST).
    func command(_ text: String) {
        guard let handle = try? open().handle else { return }
        commandCount += 1
        _ = try? handle.set(CURLOPT_COOKIELIST, text)
    }
}
