// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// An origin in libcurl's form (CURLU). libcurl reads it when a transfer that has it begins, and alters nothing in it.
/// Network thread only, its end included.
final class CurlOrigin {
    let raw: OpaquePointer

    /// Nil when libcurl does not take the origin, or is out of memory.
    fileprivate init?(_ origin: Origin) {
        guard let raw = curl_url() else { return nil }
        let code = curl_url_set(raw, CURLUPART_URL, "\(origin)/", CUnsignedInt(CURLU_PATH_AS_IS))
        guard code == CURLUE_OK else {
            curl_url_cleanup(raw)
            return nil
        }
        self.raw = raw
    }

    deinit { curl_url_cleanup(raw) }
}

@available(*, unavailable)
extension CurlOrigin: Sendable {}

/// The origins of a partition's requests, each taken apart once: libcurl 7.88 takes a URL apart for each transfer, puts
/// it together again, and prints its query byte by byte, together a tenth of its work on a small request (benchmark
/// `mixed`). Network thread only.
struct CurlOrigins {
    /// With more origins the table begins anew; handles keep what they use.
    private static let limit = 256
    private var known: [Origin: CurlOrigin] = [:]

    /// The origin; nil when libcurl does not take it.
    mutating func curlOrigin(of origin: Origin) -> CurlOrigin? {
        if let found = known[origin] { return found }
        guard let made = CurlOrigin(origin) else { return nil }
        if known.count >= Self.limit { known = [:] }
        known[origin] = made
        return made
    }
}
