// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 does not notice that a response ended while its upload is paused: the upload continues after the next
/// read. 8.14 notices the end, and then has no connection to continue with (CURLE_BAD_FUNCTION_ARGUMENT), which is not
/// an error. Versions between them have not been examined and get the same treatment.
enum UnnoticedAnswer: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
