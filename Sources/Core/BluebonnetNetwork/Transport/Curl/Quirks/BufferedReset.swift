// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl keeps the RST_STREAM of an abandoned request in a buffer until the connection is used again, so that the
/// server continues. Observed with 7.88 and 8.14; no version without the fault is known. The library closes an HTTP/2
/// connection that no other request uses. The connection stays open if only the body of a refused response is
/// abandoned, because the next request usually follows at once.
enum BufferedReset: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func closeConnection(of handle: EasyHandle, hasBegunSending: Bool, isMultiplexed: Bool) {
        if isPresent && hasBegunSending && isMultiplexed { handle.setClosesConnection(true) }
    }
}
