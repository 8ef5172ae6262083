// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct LineSplitterTests {
    private func lines(_ pieces: String...) -> [String] {
        var splitter = LineSplitter()
        var lines = pieces.flatMap { splitter.add(Array($0.utf8)) }
        if let last = splitter.finish() { lines.append(last) }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func linesAreSplitAtLineEndsAcrossChunks() {
        #expect(lines("a\nb\n") == ["a", "b"])
        #expect(lines("a", "b\nc", "", "\n") == ["ab", "c"])
        #expect(lines("a\n", "b\nc\nd") == ["a", "b", "c", "d"])
    }

    @Test func emptyLinesAreKept() {
        #expect(lines("\n\na\n") == ["", "", "a"])
    }

    @Test func unterminatedLastLineIsALineUnlessEmpty() {
        #expect(lines("a\nb") == ["a", "b"])
        #expect(lines("").isEmpty)
        #expect(lines("a\n") == ["a"])
    }

    @Test func measuredLineIsTheUnfinishedOne() {
        var lines = LineMeasure(longestLine: 5)
        for (piece, number, isTooLong) in [("1\n12345", 2, false), ("6", 2, true), ("\n\n1", 4, false)] {
            lines.add(Array(piece.utf8))
            #expect(lines.number == number && lines.isTooLong == isTooLong)
        }
        #expect(LineMeasure().tooLong == "longer than 64 MiB")
    }

    @Test func overlongLineIsDetected() {
        var splitter = LineSplitter()
        splitter.longestLine = 5
        _ = splitter.add(Array("1\n12345".utf8))
        #expect(!splitter.isTooLong)
        _ = splitter.add(Array("6".utf8))
        #expect(splitter.isTooLong)
    }
}
