// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// What the system's libcurl can do for requests.
///
/// The values depend on the version of libcurl and on how the distribution built it, not on a server.
public struct TransferFeatures: Sendable, Hashable {
    /// How the library knows that a server ended a response over HTTP/2 (END_STREAM; RFC 9113, 8.1).
    public enum StreamEndEvidence: Sendable, Hashable {
        /// From the frames that nghttp2 received: each truncated response is an error. Known from the first connection
        /// over HTTP/2 on.
        case frames
        /// From libcurl (8.1 or later): a response without `Content-Length` that ends with RST_STREAM (NO_ERROR) is
        /// taken for complete.
        case libcurl
        /// From the state of the connection (libcurl before 8.1): a response without `Content-Length` whose connection
        /// ends with the response is an error, even when it is complete.
        case connection
    }

    /// The version of libcurl that the program runs with, for instance `8.14.1`.
    public var libcurlVersion: String
    /// Whether requests can use HTTP/2 (RFC 9113).
    public var supportsHTTP2: Bool
    /// Whether this libcurl was built with HTTP/3 (RFC 9114). The library does not use it.
    public var supportsHTTP3: Bool
    /// Whether this libcurl was built with brotli. The library decodes bodies itself, and does not ask for `br`.
    public var supportsBrotli: Bool
    /// Whether this libcurl was built with zstd. The library decodes bodies itself, and does not ask for `zstd`.
    public var supportsZstandard: Bool
    /// Whether this libcurl converts international host names (IDNA 2008).
    public var supportsInternationalNames: Bool
    /// Whether cookies are checked against the public-suffix list by libcurl.
    public var supportsPublicSuffixes: Bool
    /// How the end of a response over HTTP/2 is known.
    public var streamEndEvidence: StreamEndEvidence
}
extension TransferFeatures {
    /// The features of the libcurl that the program runs with. Any thread; reads what libcurl reports
    /// (`curl_version_info`) each time.
    public static var current: TransferFeatures {
        let bits = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
        func has(_ bit: CInt) -> Bool { bits & bit != 0 }
        return TransferFeatures(
            libcurlVersion: CurlVersion.current.description, supportsHTTP2: has(CURL_VERSION_HTTP2),
            supportsHTTP3: has(CURL_VERSION_HTTP3), supportsBrotli: has(CURL_VERSION_BROTLI),
            supportsZstandard: has(CURL_VERSION_ZSTD), supportsInternationalNames: has(CURL_VERSION_IDN),
            supportsPublicSuffixes: has(CURL_VERSION_PSL),
            streamEndEvidence: StreamEndEvidence(HTTP2EndEvidence(mayObserve: true)))
    }
}

extension TransferFeatures.StreamEndEvidence {
    fileprivate init(_ evidence: HTTP2EndEvidence) {
        switch evidence {
        case .frames: self = .frames
        case .libcurl: self = .libcurl
        case .openConnection: self = .connection
        }
    }
}
