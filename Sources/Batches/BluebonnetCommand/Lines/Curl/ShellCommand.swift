// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// A simple command of a shell: its words, without quotes and escapes.
struct ShellCommand: Equatable {
    struct Word: Equatable {
        let text: String
        /// The number of the line in which the word begins.
        let line: Int
    }

    /// The words; never empty.
    let words: [Word]

    var line: Int { words[0].line }
}

extension ShellCommand {
    /// Returns a word in single quotes (POSIX, 2.2.2), or unchanged if no shell changes it.
    static func quoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in
            (0x61...0x7A).contains(FieldSyntax.lowercase(byte)) || (0x30...0x39).contains(byte)
                || "_@%+:,./-".utf8.contains(byte)
        }
        if !word.isEmpty && word.utf8.allSatisfy(isPlain) { return word }
        return "'" + word.replacingOccurrences(of: "'", with: "'\\''", options: .literal) + "'"
    }
}
