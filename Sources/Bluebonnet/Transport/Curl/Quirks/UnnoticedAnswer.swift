// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 does not notice that a response ended while its upload is paused. Later versions have not been
/// examined, and get the same treatment: the upload continues after the next read.
enum UnnoticedAnswer: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
