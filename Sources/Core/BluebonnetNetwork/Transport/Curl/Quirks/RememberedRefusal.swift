// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// libcurl 7.88 remembers that a server refused an HTTP/2 stream, even after curl_easy_reset. In other cases it
/// continues to count the bytes that it sent again. Later versions have not been examined and get the same treatment:
/// such a handle is not used for another request.
enum RememberedRefusal: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func spoilsHandle(after attempts: SendAttempts, _ result: CURLcode) -> Bool {
        isPresent && (attempts.count > 1 || result != CURLE_OK && attempts.isMultiplexed)
    }
}
