// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// A libcurl error code. Unknown codes are kept, so a newer libcurl never causes a trap.
package struct CurlError: Error, Equatable {
    let code: UInt32

    /// libcurl's text for the code (curl_easy_strerror).
    var text: String { String(cString: curl_easy_strerror(CURLcode(code))) }

    var libraryError: LibraryError { LibraryError(library: "libcurl", code: Int(code), text: text) }
}

extension CURLcode {
    /// Throws the result as an error unless it is CURLE_OK. The only place where a curl result becomes a Swift error.
    func check() throws(CurlError) {
        guard self == CURLE_OK else { throw CurlError(code: rawValue) }
    }
}
