// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// A documentation block as it appears in a test, where the compiler checks it and the test runs it:
///
/// ```
/// // BLOCK README.md
/// // where site.base is URL(string: "https://api.example.com/v1/")!
/// let manager = RequestOperationManager(baseURL: site.base)
/// // END
/// ```
///
/// `where` names the test's replacement for a URL or a path of the page.
struct BlockTwin {
    let page: String
    private let lines: [String]
    /// The text in the test, and the text on the page.
    private let replacements: [(test: String, page: String)]

    /// The code as it would appear on the page.
    var code: String {
        replacements.reduce(Self.code(of: lines)) { code, replacement in
            code.replacingOccurrences(of: Self.squeezed(replacement.test), with: Self.squeezed(replacement.page))
        }
    }

    /// The `where` replacements that do not occur in the code.
    var idleReplacements: [String] {
        let code = Self.code(of: lines)
        return replacements.map(\.test).filter { !code.contains(Self.squeezed($0)) }
    }

    /// Lines of code in the form in which they are compared: without comments, imports, white space and trailing
    /// commas of lists, which formatting may change.
    static func code(of lines: [String]) -> String {
        lines.map { line -> String in
            if line.drop(while: { $0 == " " }).hasPrefix("//") || line.hasPrefix("import ") { return "" }
            guard let comment = line.range(of: "  //") else { return line }
            return String(line[..<comment.lowerBound])
        }.map(squeezed).joined().replacingOccurrences(of: ",]", with: "]").replacingOccurrences(of: ",)", with: ")")
    }

    private static func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// The twins in the Swift files of this folder and its subfolders.
    static func all() throws -> [BlockTwin] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix("Blocks.swift") }.sorted().flatMap { path in
            try twins(in: String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
        }
    }

    static func twins(in text: String) -> [BlockTwin] {
        var twins: [BlockTwin] = []
        var open: (page: String, lines: [String], replacements: [(test: String, page: String)])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.drop { $0 == " " }
            if trimmed.hasPrefix("// BLOCK ") {
                open = (String(trimmed.dropFirst("// BLOCK ".count)), [], [])
            } else if trimmed == "// END", let block = open {
                twins.append(BlockTwin(page: block.page, lines: block.lines, replacements: block.replacements))
                open = nil
            } else if trimmed.hasPrefix("// where "), let middle = trimmed.range(of: " is ") {
                let test = trimmed[..<middle.lowerBound].dropFirst("// where ".count)
                open?.replacements.append((String(test), String(trimmed[middle.upperBound...])))
            } else {
                open?.lines.append(String(line))
            }
        }
        return twins
    }
}
