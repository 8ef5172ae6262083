// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct WholeFileTests {
    /// Returns the file after each piece, up to its end or the first error.
    private static func files(_ file: WholeFile, _ pieces: [[UInt8]]) throws -> [[UInt8]?] {
        var (file, files) = (file, [[UInt8]?]())
        for piece in pieces {
            file.append(piece)
            files.append(try file.removeBytes())
        }
        file.finish()
        files.append(try file.removeBytes())
        return files
    }

    @Test func bytesAreThereAfterTheEnd() throws {
        #expect(try Self.files(WholeFile(limit: 4), [[1, 2], [3, 4]]) == [nil, nil, [1, 2, 3, 4]])
    }

    /// The file is refused before it ends: it may never do so.
    @Test func largeFileIsRefused() {
        let error = ConversionError(line: 1, "the file has more than 4 bytes")
        #expect(throws: error) { try Self.files(WholeFile(limit: 4), [[1, 2], [3, 4, 5]]) }
    }

    @Test func longLineIsRefused() throws {
        let line = [UInt8](repeating: 0, count: 1 << 20)
        let start = Array("a\nb\n".utf8)
        #expect(try Self.files(WholeFile(longestLine: 1 << 20), [start, line]) == [nil, nil, start + line])
        #expect(throws: ConversionError(line: 3, "longer than 1 MiB")) {
            try Self.files(WholeFile(longestLine: 1 << 20), [start, line, [0]])
        }
    }
}
