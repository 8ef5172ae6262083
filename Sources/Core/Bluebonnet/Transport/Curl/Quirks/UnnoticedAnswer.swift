// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 does not notice that a response ended while its upload is paused: the upload continues after the next
/// read. 8.14 notices it, and has no connection left to continue (CURLE_BAD_FUNCTION_ARGUMENT), which is no error.
/// Versions between them have not been examined, and get the same treatment.
enum UnnoticedAnswer: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
