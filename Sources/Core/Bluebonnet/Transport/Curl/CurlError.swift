// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// A libcurl result. Unknown codes survive, so a newer libcurl never traps.
struct CurlError: Error, Equatable {
    let code: UInt32

    /// libcurl's own sentence for the code (curl_easy_strerror).
    var text: String { String(cString: curl_easy_strerror(CURLcode(code))) }

    var libraryError: LibraryError { LibraryError(library: "libcurl", code: Int(code), text: text) }
}

extension CURLcode {
    /// The only place a curl result becomes a Swift error.
    func check() throws(CurlError) {
        guard self == CURLE_OK else { throw CurlError(code: rawValue) }
    }
}
