// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetPipelines

/// A source of a batch's lines by position: from 0, dependencies first. Its methods are called on any thread.
package protocol LineSource: Sendable {
    /// Reads a line with its dependencies. Called once for each line that runs.
    func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node

    /// Returns whether a line may have an `output`; false only if the line certainly has no output. Costs less than
    /// reading the line.
    func canHaveOutput(at position: Int) -> Bool

    /// Drops a line that will not run.
    func drop(_ position: Int)

    /// Returns the id of a line.
    func id(at position: Int) -> String

    /// Returns whether a line has pages or elements.
    func hasParts(_ position: Int) -> Bool

    /// Returns whether the responses of a line are streams of items. Costs less than reading the line.
    func hasItems(_ position: Int) -> Bool

    /// Returns the positions of the lines with `each` that use the responses of a line as elements.
    func readers(of position: Int) -> [Int]

    /// Returns whether a line with `each` may start before the end of the line whose responses it uses.
    func startsEarly(_ position: Int) -> Bool

    /// Whether lines that are added later may use the responses of earlier lines. All responses are kept then, and
    /// `readers(of:)` is empty.
    var keepsResponses: Bool { get }

    /// Returns the path of the items of a line, for lines that use them as elements.
    func itemPath(of position: Int) -> JSONPath

    /// Returns whether any line may mention an id, such as the id of a page. False only if certainly no line does.
    func isMentioned(_ id: String) -> Bool

    /// Returns the position of the line with an id; nil if no line has it.
    func position(of id: String) -> Int?
}

extension LineSource {
    package func drop(_ position: Int) {}

    package func readers(of position: Int) -> [Int] { [] }

    package var keepsResponses: Bool { false }

    package func itemPath(of position: Int) -> JSONPath { .elements }

    package func startsEarly(_ position: Int) -> Bool { false }

    package func isMentioned(_ id: String) -> Bool { true }

    package func canHaveOutput(at position: Int) -> Bool { true }
}

/// The error of a checked line that can no longer be read.
package struct LineSourceError: Error, Sendable, Equatable {
    /// One sentence that describes the error.
    package let message: String

    package init(_ message: String) { self.message = message }
}

extension RequestLine {
    /// Returns the scheme, host and port of a URL as written, in lower case. Returns an empty text for a relative URL,
    /// which has the origin of the batch's base URL.
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
