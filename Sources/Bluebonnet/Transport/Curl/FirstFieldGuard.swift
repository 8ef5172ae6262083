// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Looks at the first field line of an HTTP/1 response before libcurl keeps the line.
///
/// Before version 8.2, libcurl joins a field line that begins with white space to the field before it, and a handle that
/// is used again still has a pointer to the last field of its last response, whose memory is free: a server could crash
/// the process. libcurl gives a line to the callback of the body before it keeps the line, when header lines are wanted
/// there, too (CURLOPT_HEADER): that is switched on behind each status line, and off again behind the next line.
struct FirstFieldGuard {
    private static let isNeeded = (curl_version_info(CURLVERSION_TENTH)?.pointee.version_num ?? 0) < 0x08_02_00

    /// Whether the next line comes to the callback of the body first.
    private(set) var isArmed = false

    /// Takes a line that came to the callback of header lines.
    mutating func take(_ line: UnsafeRawBufferPointer, of handle: UnsafeMutableRawPointer) {
        guard Self.isNeeded else { return }
        set(isArmed: Self.isStatusLine(line), of: handle)
    }

    /// Before the handle waits for its next request.
    mutating func disarm(_ handle: UnsafeMutableRawPointer) { set(isArmed: false, of: handle) }

    /// Whether libcurl may keep a line that came to the callback of the body while the guard is armed.
    static func admits(_ line: UnsafeRawBufferPointer) -> Bool {
        line.first != UInt8(ascii: " ") && line.first != UInt8(ascii: "\t")
    }

    /// HTTP/2 has no status line, and libcurl's in its place has a field before it.
    private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.first == UInt8(ascii: "H") && line.starts(with: "HTTP/1".utf8)
    }

    private mutating func set(isArmed: Bool, of handle: UnsafeMutableRawPointer) {
        guard isArmed != self.isArmed else { return }
        self.isArmed = isArmed
        _ = bluebonnet_easy_setopt_long(handle, CURLOPT_HEADER, isArmed ? 1 : 0)
    }
}
