// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Converts a list of URLs, one in each line, to request lines. Empty lines and comments are skipped.
struct URLListConverter: LineConverter {
    private var lines = NumberedLines()

    mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    mutating func finish() { lines.finish() }

    mutating func next() throws(ConversionError) -> Conversion? {
        guard let line = try lines.next() else { return nil }
        guard let text = String(validating: line.bytes, as: UTF8.self) else {
            throw ConversionError(line: line.number, "not valid UTF-8")
        }
        let url = text.trimmingCharacters(in: .whitespaces)
        do throws(NetworkingError) {
            _ = try RequestCheck.url(url)
        } catch {
            throw ConversionError(line: line.number, error.message)
        }
        return try Conversion(literal: RequestLine(url: url), line: line.number)
    }
}
