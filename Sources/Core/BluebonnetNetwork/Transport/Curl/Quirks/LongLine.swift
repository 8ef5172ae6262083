// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The error code for a header line that is longer than libcurl accepts. 7.88 reports a lack of memory. Later versions
/// have CURLE_TOO_LARGE, which the headers of 7.88 do not define.
enum LongLine: CurlQuirk {
    static let versions = Range<CurlVersion>.all
    /// CURLE_TOO_LARGE.
    static let tooLarge: UInt32 = 100
    static let sentence = "a line is longer than \(CURL_MAX_HTTP_HEADER) bytes, the limit of libcurl"

    static func canExplain(_ error: CurlError) -> Bool {
        [CURLE_OUT_OF_MEMORY.rawValue, tooLarge].contains(error.code)
    }
}
