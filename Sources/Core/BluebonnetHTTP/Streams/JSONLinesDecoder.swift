// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A JSON text of a stream: a line of JSON lines, or an element of a JSON text sequence.
package struct JSONStreamItem: Sendable, Hashable {
    /// The number of the text in its response, from 1. Blank lines and empty elements do not count.
    package let number: Int
    /// The bytes of the text. They are not checked.
    package let bytes: [UInt8]
    /// Whether the end of the text is missing (RFC 7464, 2.3 and 2.4). Only elements of a sequence can be truncated:
    /// arrays, objects and strings that are not closed, and other values without white space after them. A reader
    /// must not use such a text; it may continue with the next one.
    package let isTruncated: Bool

    /// The error of a truncated text; nil for other texts.
    package var truncation: StreamItemError? {
        isTruncated ? StreamItemError(item: "JSON text", number: number, reason: "the end of the text is missing") : nil
    }
}

/// Splits JSON lines (NDJSON), or a JSON text sequence (RFC 7464), from slices of bytes of any size into JSON texts.
///
/// Texts are returned as soon as the line feed after them has arrived.
package struct JSONLinesDecoder: Sendable {
    package enum Format: Sendable, Hashable {
        /// One JSON text in each line. Blank lines are ignored. The last line may lack a line end.
        case lines
        /// Each JSON text after a record separator (0x1E), with a line feed after it.
        case sequence

        /// The format of a body with this `Content-Type`: a sequence for `application/json-seq`, otherwise lines.
        package init(contentType: String?) {
            self = contentType.map(ResponseHead.mediaType) == "application/json-seq" ? .sequence : .lines
        }
    }

    /// The default limit of a text: 16 MiB.
    package static let usualByteLimit = 16 << 20

    /// The format. Lines that begin with a record separator are a sequence: no JSON text begins with that byte.
    package private(set) var format: Format

    private let byteLimit: Int
    private var isAtStart = true
    private var lines: LineDecoder
    private var sequence: JSONSequenceDecoder
    private var lineItemCount = 0

    /// - Parameters:
    ///   - format: the format that the response states.
    ///   - byteLimit: the limit of a text, in bytes. A longer text is an error, so that memory is bounded for any
    ///     input.
    package init(format: Format, byteLimit: Int = Self.usualByteLimit) {
        (self.format, self.byteLimit) = (format, byteLimit)
        lines = LineDecoder(byteLimit: byteLimit)
        sequence = JSONSequenceDecoder(byteLimit: byteLimit)
    }

    /// Adds the next bytes of the body.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if isAtStart, let first = bytes.first {
            isAtStart = false
            if first == JSONTextEnd.recordSeparator { format = .sequence }
        }
        switch format {
        case .lines: lines.append(bytes)
        case .sequence: sequence.append(bytes)
        }
    }

    /// Marks the end of the body.
    package mutating func finish() {
        lines.finish()
        sequence.finish()
    }

    /// Returns the next text; nil if more bytes are needed, or after the last text.
    ///
    /// - Throws: the error of a text that is too long, or of text outside of the elements of a sequence. Texts before
    ///   the error are returned first; every later call throws the same error.
    package mutating func next() throws(StreamItemError) -> JSONStreamItem? {
        switch format {
        case .lines: try nextLine()
        case .sequence: try sequence.next()
        }
    }

    private mutating func nextLine() throws(StreamItemError) -> JSONStreamItem? {
        do throws(StreamItemError) {
            while let line = try lines.next({ $0.allSatisfy(JSONTextEnd.isSpace) ? nil : Array($0) }) {
                guard let line else { continue }
                lineItemCount += 1
                return JSONStreamItem(number: lineItemCount, bytes: line, isTruncated: false)
            }
            return nil
        } catch {
            throw .tooLong("JSON text", number: lineItemCount + 1, part: "the text", byteLimit: byteLimit)
        }
    }
}
