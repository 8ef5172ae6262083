// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Before 8.3, libcurl replaces the library's certificate authorities with its own cache of authorities, after the
/// callback that sets them. Later versions call the callback last.
enum AuthorityCache: CurlQuirk {
    static let versions = Range.before(8, 3)

    static func turnOff(for handle: EasyHandle) throws(CurlError) {
        if isPresent { try handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
    }
}
