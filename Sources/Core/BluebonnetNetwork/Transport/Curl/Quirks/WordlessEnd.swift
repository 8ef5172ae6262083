// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 reports each HTTP/2 connection that ends before a response as CURLE_HTTP2 without an error text. 7.88
/// does so for GOAWAY only, after which a request may be sent again repeatedly, and reports CURLE_PARTIAL_FILE for
/// other ends. Versions between them have not been examined. Where the quirk is present, the frames decide: without
/// GOAWAY or REFUSED_STREAM, the server may have processed the request.
enum WordlessEnd: CurlQuirk {
    static let versions = Range.since(8, 0)

    /// Returns the result as 7.88 reports it.
    ///
    /// - Parameters:
    ///   - isRefused: whether a frame has reported that the server did not process the request.
    ///   - isObserved: whether frames are observed.
    static func corrected(
        _ result: LibraryResult, isRefused: Bool, isObserved: Bool, isPresent: Bool = isPresent
    ) -> LibraryResult {
        guard isPresent, isObserved, !isRefused, result == .wentAway else { return result }
        return .partial
    }
}
