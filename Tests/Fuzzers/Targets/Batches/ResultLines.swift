// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import Foundation

extension FuzzTarget {
    /// A result line, as in a journal.
    static let resultLines = FuzzTarget("result-lines") { input in
        guard let line = try? JSONDecoder().decode(ResultLine.self, from: Data(input.rest)) else { return }
        let data = line.encodedLine()
        try holdSame(data.last, 0x0A, "a line ends")
        try hold(!data.dropLast().contains(0x0A), "a line is one line")
        let again: ResultLine
        do {
            again = try JSONDecoder().decode(ResultLine.self, from: data)
        } catch {
            throw FuzzFinding("a line that was written cannot be read: \(String(decoding: data, as: UTF8.self))")
        }
        // Field names are written in lower case and read in order.
        let third = try JSONDecoder().decode(ResultLine.self, from: again.encodedLine())
        try holdSame(third, again, "a line stays when it is read and written")
        try holdSame(again.id, line.id, "the id")
        try holdSame(again.outcome, line.outcome, "the outcome")
    }
}
