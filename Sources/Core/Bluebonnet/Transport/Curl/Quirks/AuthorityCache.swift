// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Before 8.3, libcurl puts its own cache of certificate authorities over the library's authorities, after the callback
/// that sets those. Later versions call the callback last.
enum AuthorityCache: CurlQuirk {
    static let versions = Range.before(8, 3)

    static func turnOff(for handle: EasyHandle) throws(CurlError) {
        if isPresent { try handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
    }
}
