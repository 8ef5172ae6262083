// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Converts a file to or from request lines. A value without a file or a clock: the caller adds bytes as they arrive,
/// and removes complete entries.
protocol LineConverter {
    /// Adds the next bytes of the file.
    mutating func append(_ bytes: [UInt8])

    /// Marks the end of the file.
    mutating func finish()

    /// Returns the next entry; nil if more bytes are needed, or after the last entry.
    ///
    /// - Throws: the first error of the file. Entries before the error are returned first.
    mutating func next() throws(ConversionError) -> Conversion?
}

/// One converted entry of a file.
struct Conversion: Equatable {
    /// The lines to write, without their ends.
    let texts: [String]
    /// The parts of the entry that were left out.
    var warnings: [ConversionError] = []
}

extension Conversion {
    /// Makes the text of a request line from a request whose strings are to be sent as they are.
    ///
    /// - Parameter line: the number of the line with the entry.
    init(literal request: RequestLine, line: Int, warnings: [ConversionError] = []) throws(ConversionError) {
        let text = request.escapingReferences().canonicalText
        _ = try Self.parsed(text, line: line)
        self.init(texts: [text], warnings: warnings)
    }

    /// Parses the text of a request line as a run does.
    static func parsed(_ text: String, line: Int) throws(ConversionError) -> RequestLine {
        do throws(RequestLineError) {
            guard let parsed = try RequestLineParser().parse(line: Data(text.utf8), number: line) else {
                throw RequestLineError(message: "there is no request")
            }
            _ = try parsed.line.referencedIDs()
            return parsed.line
        } catch {
            throw ConversionError(line: line, RequestLineError(field: error.field, message: error.message).description)
        }
    }
}
