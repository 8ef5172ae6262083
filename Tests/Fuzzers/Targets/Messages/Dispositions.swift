// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// A `Content-Disposition` value, and the file name that it suggests.
    static let dispositions = FuzzTarget("dispositions") { input in
        let text = FieldBlock.text(input.rest)
        if let name = SuggestedFileName.reduced(text) { try checkReduced(name) }
        guard let disposition = ContentDisposition(text) else { return }
        try hold(FieldSyntax.isToken(disposition.type.utf8), "the type \(disposition.type) is a token")
        guard let said = disposition.fileName else { return }
        if let name = SuggestedFileName.reduced(said) { try checkReduced(name) }
        // The name, written as a quoted string, is read as the same name.
        let quoted = said.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
        let again = ContentDisposition("\(disposition.type); filename=\"\(quoted)\"")
        try hold(
            again?.fileName.map { FieldSyntax.isSameText($0, said) } == true,
            "the name \(said.debugDescription) is read again as it is quoted: \(again?.fileName ?? "nil")")
    }

    private static func checkReduced(_ name: String) throws(FuzzFinding) {
        try checkFileName(name)
        let again = SuggestedFileName.reduced(name)
        try hold(again == name, "the name \(name.debugDescription) is safe, but becomes \(again.debugDescription)")
        for number in [2, 10_000] {
            try checkFileName(SuggestedFileName.numbered(name, number))
        }
    }

    /// The name is one visible path component that every file system accepts.
    static func checkFileName(_ name: String) throws(FuzzFinding) {
        let shown = name.debugDescription
        try hold(!name.isEmpty && name.utf8.count <= 255, "the name \(shown) has 1 to 255 bytes")
        try hold(!name.utf8.contains { "/\\<>:\"|?*".utf8.contains($0) || $0 < 0x20 || $0 == 0x7F }, "\(shown) is safe")
        try hold(name != "." && name != ".." && !name.hasPrefix("."), "\(shown) is no folder and not hidden")
        try hold(name.unicodeScalars.first != " " && name.unicodeScalars.last != " ", "\(shown) has no outer spaces")
        try hold(name.unicodeScalars.last != ".", "\(shown) ends in no dot")
        let suffix = SuggestedFileName.reservedSuffix
        try hold(!name.lowercased().hasSuffix(suffix), "\(shown) is no name of a partial file")
        let stem = name.prefix { $0 != "." }.uppercased()
        try hold(!["CON", "PRN", "AUX", "NUL", "COM1", "LPT9"].contains(stem), "\(shown) is no device")
    }
}
