// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A block of code between three backquotes, on a documentation page or in the comment of a declaration.
public struct CodeBlock: Sendable, CustomStringConvertible {
    /// The name of the page or of the source file.
    public let page: String
    /// The word after the backquotes: `swift`, `sh`, `json`. Empty if there is no word.
    public let language: String
    /// The lines, without the indentation of the whole block.
    public let lines: [String]

    /// The page and the first line.
    public var description: String { "\(page): \(lines.first { !$0.isEmpty } ?? "")" }

    /// The package's folder, above this file.
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of a module's sources.
    public static func sources(of module: String) throws -> URL {
        let folder = root.appendingPathComponent("Sources")
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let found = parts.map { folder.appendingPathComponent("\($0)/\(module)") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        guard let found else { throw CocoaError(.fileNoSuchFile) }
        return found
    }

    /// The blocks of README.md, CONTRIBUTING.md, CHANGELOG.md and the documentation's pages.
    public static func ofPages() throws -> [CodeBlock] {
        let folder = root.appendingPathComponent("Sources")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let pages = paths.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
            .map { folder.appendingPathComponent($0) }
        let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map { root.appendingPathComponent($0) }
        return try (top + pages).flatMap { page in
            blocks(in: try String(contentsOf: page, encoding: .utf8), of: page.lastPathComponent)
        }
    }

    /// The blocks in the comments of declarations.
    public static func ofSources() throws -> [CodeBlock] {
        let folder = root.appendingPathComponent("Sources")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let comments = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let line = line.drop { $0 == " " }
                return line.hasPrefix("///") ? String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) : ""
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return blocks(in: comments.joined(separator: "\n"), of: name)
        }
    }

    /// The blocks of a Markdown text.
    public static func blocks(in text: String, of page: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (language: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isFence = line.hasPrefix("```")
            if let block = open, isFence {
                blocks.append(CodeBlock(page: page, language: block.language, lines: block.lines))
                open = nil
            } else if isFence {
                open = (String(line.dropFirst(3)), [])
            } else {
                open?.lines.append(String(line))
            }
        }
        return blocks
    }
}
