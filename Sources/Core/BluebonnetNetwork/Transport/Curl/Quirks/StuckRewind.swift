// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// libcurl 8.14 remembers that a request's body has to be sent again, although the transfer has ended, and even after
/// curl_easy_reset. Each later request of the handle fails with "necessary data rewind was not possible"
/// (CURLE_SEND_FAIL_REWIND). 7.88 forgets it; versions between them have not been examined. Where the quirk is
/// present, a handle is not used for another request after a request with a body has failed, or after its response was
/// not a success.
enum StuckRewind: CurlQuirk {
    static let versions = Range.since(8, 0)

    /// - Parameters:
    ///   - hasBody: whether the request had a body.
    ///   - statusCode: the status code of the response; nil without a response.
    static func spoilsHandle(hasBody: Bool, hasFailed: Bool, statusCode: Int?, isPresent: Bool = isPresent) -> Bool {
        guard isPresent, hasBody else { return false }
        return hasFailed || statusCode.map { $0 >= 300 } ?? true
    }
}
