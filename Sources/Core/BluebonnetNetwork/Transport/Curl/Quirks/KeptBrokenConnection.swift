// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// libcurl 7.88 keeps a connection on which a head could not be sent, even if its TLS session is unusable. Later
/// versions have not been examined and get the same treatment: the connection is shut down.
enum KeptBrokenConnection: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func concerns(_ result: CURLcode) -> Bool { isPresent && result == CURLE_SEND_ERROR }
}
