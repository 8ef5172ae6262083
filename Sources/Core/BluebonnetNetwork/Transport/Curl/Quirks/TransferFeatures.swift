// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The features for requests that the system's libcurl supports.
///
/// The values depend on the version of libcurl and on how the distribution built it, not on a server.
public struct TransferFeatures: Sendable, Hashable {
    /// How the library knows that a server ended a response over HTTP/2 (END_STREAM; RFC 9113, 8.1).
    public enum StreamEndEvidence: Sendable, Hashable {
        /// From the frames that nghttp2 received: each truncated response is an error. Known once a connection over
        /// HTTP/2 has been made.
        case frames
        /// From libcurl (8.1 or later): a response without `Content-Length` that ends with RST_STREAM (NO_ERROR)
        /// counts as complete.
        case libcurl
        /// From the state of the connection (libcurl before 8.1): a response without `Content-Length` whose connection
        /// ends with the response is an error, even if it is complete.
        case connection
    }

    /// The version of libcurl that the program runs with, for example `8.14.1`.
    public var libcurlVersion: String
    /// Whether requests can use HTTP/2 (RFC 9113).
    public var supportsHTTP2: Bool
    /// Whether this libcurl was built with HTTP/3 (RFC 9114). The library does not use it.
    public var supportsHTTP3: Bool
    /// Whether this libcurl was built with brotli. The library decodes bodies itself and does not request `br`.
    public var supportsBrotli: Bool
    /// Whether this libcurl was built with zstd. The library decodes bodies itself and does not request `zstd`.
    public var supportsZstandard: Bool
    /// Whether this libcurl converts international host names (IDNA 2008).
    public var supportsInternationalNames: Bool
    /// Whether libcurl checks cookies against the public-suffix list.
    public var supportsPublicSuffixes: Bool
    /// How the library knows the end of a response over HTTP/2.
    public var streamEndEvidence: StreamEndEvidence
}
extension TransferFeatures {
    /// The features of the libcurl that the program runs with. Any thread. Each access reads the features from libcurl
    /// (`curl_version_info`).
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
