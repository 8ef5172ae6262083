// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// OpenSSL's error queue, which belongs to the calling thread. Any thread.
enum OpenSSLError {
    /// Removes the errors of earlier calls, so that `last` belongs to the next call.
    static func clear() { ERR_clear_error() }

    /// The latest error, for bug reports; nil without an error.
    static var last: LibraryError? {
        let code = ERR_peek_last_error()
        guard code != 0 else { return nil }
        let text = ERR_reason_error_string(code).map { String(cString: $0) }
        return LibraryError(library: "OpenSSL", code: Int(code), text: text ?? "error \(code)")
    }
}
