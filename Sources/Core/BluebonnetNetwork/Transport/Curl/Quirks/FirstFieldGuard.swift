// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Checks the first field line of a response before libcurl stores the line.
///
/// Before 8.2, libcurl joins a folded line to the last field that it stored. On a reused handle, that field may be
/// freed memory. Later versions forget it before a request. With CURLOPT_HEADER, libcurl passes each line of a head to
/// the body callback before it stores the line. The option is switched on after a status line and off after the next
/// line.
struct FirstFieldGuard: CurlQuirk {
    static let versions = Range.before(8, 2)
    static let isNeeded = isPresent

    /// libcurl 8.14 reads the first line of a folded field by itself, and delivers its lines one by one. 8.21 joins
    /// the lines first; versions between them have not been examined.
    enum SeparateLines: CurlQuirk {
        static let versions = Range.before(8, 15)
    }

    private var isOn = false
    /// Whether the current line has been checked. libcurl delivers a long line in pieces, of which only the first one
    /// is checked.
    private var isJudged = false

    /// Receives a line that was passed to the header callback.
    mutating func receive(_ line: UnsafeRawBufferPointer, of handle: UnsafeMutableRawPointer) {
        guard Self.isNeeded else { return }
        isJudged = false
        set(isOn: Self.isStatusLine(line), of: handle)
    }

    /// Prepares for a pause before the head is complete. libcurl may read lines now that it delivers later, according
    /// to the option's present value.
    mutating func expectStoredLines(of handle: UnsafeMutableRawPointer) {
        if Self.isNeeded { set(isOn: true, of: handle) }
    }

    /// Returns whether libcurl may store the line. `piece` is a part of the line that was passed to the body callback.
    mutating func admit(_ piece: UnsafeRawBufferPointer) -> Bool {
        defer { isJudged = true }
        return isJudged || piece.first != UInt8(ascii: " ") && piece.first != UInt8(ascii: "\t")
    }

    /// Resets the guard before the handle waits for its next request.
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
