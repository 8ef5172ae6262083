// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The code for a CONNECT that a proxy refused: 7.88 and 8.14 have CURLE_RECV_ERROR, 8.23 has CURLE_COULDNT_CONNECT or
/// CURLE_PROXY.
enum RefusedTunnel: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func mayBe(_ error: CurlError) -> Bool {
        [CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_PROXY].contains { $0.rawValue == error.code }
    }
}
