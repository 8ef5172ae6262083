// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Looks at the first field line of a response before libcurl keeps the line.
///
/// Before 8.2, libcurl joins a folded line to the last field that it kept. On a handle that is used again, that field
/// may be freed memory. Later versions forget it before a request. With CURLOPT_HEADER, libcurl gives each line of a
/// head to the body callback before it keeps the line. The option is switched on after a status line and off after the
/// next line.
struct FirstFieldGuard: CurlQuirk {
    static let versions = Range.before(8, 2)
    static let isNeeded = isPresent

    /// libcurl 8.14 reads the first line of a folded field by itself, and delivers its lines one by one. 8.21 joins
    /// the lines before; versions between them have not been examined.
    enum SeparateLines: CurlQuirk {
        static let versions = Range.before(8, 15)
    }

    private var isOn = false
    /// libcurl gives a long line in pieces, of which the first one counts.
    private var isJudged = false

    /// Takes a line that came to the header callback.
    mutating func take(_ line: UnsafeRawBufferPointer, of handle: UnsafeMutableRawPointer) {
        guard Self.isNeeded else { return }
        isJudged = false
        set(isOn: Self.isStatusLine(line), of: handle)
    }

    /// A transfer is paused before its head is complete: libcurl may read lines, which it gives later as the option
    /// says now.
    mutating func expectStoredLines(of handle: UnsafeMutableRawPointer) {
        if Self.isNeeded { set(isOn: true, of: handle) }
    }

    /// Whether libcurl may keep the line of which a piece came to the body callback.
    mutating func admits(_ piece: UnsafeRawBufferPointer) -> Bool {
        defer { isJudged = true }
        return isJudged || piece.first != UInt8(ascii: " ") && piece.first != UInt8(ascii: "\t")
    }

    /// The handle is about to wait for its next request.
    mutating func reset(_ handle: UnsafeMutableRawPointer) {
        isJudged = false
        set(isOn: false, of: handle)
    }

    private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.first == UInt8(ascii: "H") && line.starts(with: "HTTP/".utf8)
    }

    private mutating func set(isOn: Bool, of handle: UnsafeMutableRawPointer) {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        _ = bluebonnet_easy_setopt_long(handle, CURLOPT_HEADER, isOn ? 1 : 0)
    }
}
