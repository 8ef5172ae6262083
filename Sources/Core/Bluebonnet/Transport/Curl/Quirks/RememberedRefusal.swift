// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// libcurl 7.88 remembers that a server refused an HTTP/2 stream, also after curl_easy_reset, and otherwise continues
/// to count the bytes that it sent again. Later versions have not been examined, and get the same treatment: such a
/// handle serves no other request.
enum RememberedRefusal: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func spoilsHandle(after attempts: SendAttempts, _ result: CURLcode) -> Bool {
        isPresent && (attempts.count > 1 || result != CURLE_OK && attempts.isMultiplexed)
    }
}
