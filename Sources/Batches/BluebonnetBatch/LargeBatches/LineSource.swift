// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Where the lines of a batch are, by their positions: from 0, in an order in which dependencies come first. Its calls
/// come from any thread.
package protocol LineSource: Sendable {
    /// Reads a line with what it waits for. Called once for each line that is run.
    func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node

    /// Whether a line may have an `output`; false only where that is certain. Costs less than reading the line.
    func mayHaveOutput(at position: Int) -> Bool

    /// Notes that a line is not run.
    func drop(_ position: Int)

    /// The id of a line.
    func id(at position: Int) -> String

    /// The position of the line with an id; nil when there is none.
    func position(of id: String) -> Int?
}

extension LineSource {
    package func drop(_ position: Int) {}

    package func mayHaveOutput(at position: Int) -> Bool { true }
}

/// Why a line that was checked cannot be read any more.
package struct LineSourceError: Error, Sendable, Equatable {
    /// One sentence.
    package let message: String

    package init(_ message: String) { self.message = message }
}

extension RequestLine {
    /// Scheme, host and port of a URL as they are written. Of a relative URL there are none: the batch's base URL has
    /// them.
    package static func lane(of url: String) -> String {
        var url = url
        return url.withUTF8 { bytes in
            let schemeEnd = bytes.firstIndex { !isOfScheme($0) } ?? bytes.count
            let mark = schemeEnd == 0 ? "//" : "://"
            let rest = bytes[schemeEnd...]
            guard rest.starts(with: mark.utf8) else { return "" }
            let end = rest.dropFirst(mark.utf8.count).firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
            return String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        }
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
