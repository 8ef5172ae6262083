// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl leaves the RST_STREAM of a request that was given up in a buffer until the connection is used again, and the
/// server continues. Seen with 7.88 and 8.14; no version is known to be without it. The library closes an HTTP/2
/// connection that no other request uses. Not where only the body of a refused response is given up: the next request
/// mostly follows at once.
enum BufferedReset: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func closeConnection(of handle: EasyHandle, hasBegunSending: Bool, isMultiplexed: Bool) {
        if isPresent && hasBegunSending && isMultiplexed { handle.setClosesConnection(true) }
    }
}
