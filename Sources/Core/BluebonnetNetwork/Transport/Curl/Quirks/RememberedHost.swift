// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 remembers the host of a request's own `Host` field for cookies, even after curl_easy_reset. Later
/// versions have not been examined and get the same treatment: such a handle is not used for a request with a cookie
/// jar.
enum RememberedHost: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func spoils(_ handle: EasyHandle, forJar usesJar: Bool) -> Bool {
        isPresent && usesJar && handle.hasNamedHost
    }
}
