// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Removes the segments `.` and `..` from paths (RFC 3986, 5.2.4). A dot that is written as `%2e` counts, as in the
/// WHATWG's URL standard: servers decode it, so a path with such a segment could be read in two ways.
package enum DotSegments {
    /// Returns the URL without dot segments in its path; nil if the path has no dot segments. Query and fragment are
    /// unchanged.
    package static func removed(from url: URL) -> URL? {
        let text = url.absoluteString
        guard canHaveDotSegments(text) else { return nil }
        let parts = URLText(text)
        let path = parts.path
        let shorter = removed(fromPath: path)
        guard shorter != path else { return nil }
        return URL(string: "\(text[..<path.startIndex])\(shorter)\(text[path.endIndex...])")
    }

    /// Returns the path without dot segments. Empty segments count as segments: `/a//../b` becomes `/a/b`.
    package static func removed(fromPath path: some StringProtocol) -> String {
        let slash = UInt8(ascii: "/")
        let text = String(path)
        if text.utf8.first == slash, !canHaveDotSegments(text) { return text }
        let segments = Array(path.utf8).split(separator: slash, omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated().dropFirst() {
            let count = dotCount(segment)
            if count == 2 { _ = kept.popLast() }
            if count == nil { kept.append(segment) } else if index == segments.count - 1 { kept.append([]) }
        }
        return String(decoding: kept.flatMap { [slash] + $0 }, as: UTF8.self)
    }

    /// Returns the number of dots that a segment consists of: 1 or 2; nil for any other segment.
    private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int? {
        guard (1...6).contains(segment.count) else { return nil }
        var (rest, count) = (segment, 0)
        while let first = rest.first {
            let isEscape = rest.prefix(3).map(FieldSyntax.lowercase).elementsEqual("%2e".utf8)
            guard isEscape || first == UInt8(ascii: ".") else { return nil }
            rest = rest.dropFirst(isEscape ? 3 : 1)
            count += 1
        }
        return count <= 2 ? count : nil
    }

    /// Returns whether a "." or "%" follows a "/" anywhere. Nearly all URLs need no further check.
    private static func canHaveDotSegments(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var isBehindSlash = false
            for byte in bytes {
                if isBehindSlash && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%")) { return true }
                isBehindSlash = byte == UInt8(ascii: "/")
            }
            return false
        }
    }
}
