// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// OpenSSL's list of errors, which belongs to the thread. Any thread.
enum OpenSSLError {
    /// Forgets what earlier calls left, so that `last` is of the next call.
    static func clear() { ERR_clear_error() }

    /// The latest error, for a bug report; nil when there is none.
    static var last: LibraryError? {
        let code = ERR_peek_last_error()
        guard code != 0 else { return nil }
        let text = ERR_reason_error_string(code).map { String(cString: $0) }
        return LibraryError(library: "OpenSSL", code: Int(code), text: text ?? "error \(code)")
    }
}
