// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The error code for a CONNECT that a proxy refused: CURLE_RECV_ERROR in 7.88 and 8.14, CURLE_COULDNT_CONNECT or
/// CURLE_PROXY in 8.23.
enum RefusedTunnel: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func canExplain(_ error: CurlError) -> Bool {
        [CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_PROXY].contains { $0.rawValue == error.code }
    }
}
