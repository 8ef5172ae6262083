// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Commands in the documentation that take too long to run in a test. The files, products and options that they name
/// exist.
@Suite(.timeLimit(.minutes(1))) struct ShellBlockTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: CodeBlock.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The text of all Swift files of a folder.
    private static func sources(_ folder: String) throws -> String {
        let url = CodeBlock.root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.map { try text(folder + "/" + $0) }.joined()
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: CodeBlock.root.appendingPathComponent(path).path)
    }

    /// The commands of the blocks that start with one of the package's scripts or with `swift`.
    private static func commands() throws -> [[String]] {
        let blocks = try CodeBlock.ofPages().filter { $0.language == "sh" }
        let lines = blocks.flatMap { block in
            block.lines.joined(separator: "\n").replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n")
        }
        let code = lines.map { line in line.range(of: "  #").map { line[..<$0.lowerBound] } ?? line.prefix { $0 != "#" }
        }
        let words = code.map { $0.split(separator: " ").map(String.init) }
        return words.filter { $0.first == "swift" || $0.first?.hasPrefix("Scripts/") == true }
    }

    @Test func blockCommandsExist() throws {
        let commands = try Self.commands()
        #expect(commands.count > 9)
        for words in commands {
            let name = words.joined(separator: " ")
            if words[0].hasPrefix("Scripts/") {
                let path = CodeBlock.root.appendingPathComponent(words[0]).path
                #expect(FileManager.default.isExecutableFile(atPath: path), "\(name)")
                continue
            }
            #expect(["build", "format", "run", "test"].contains(words[1]), "\(name)")
            for (option, value) in zip(words, words.dropFirst()) {
                switch option {
                case "--product": #expect(try Self.text("Package.swift").contains("name: \"\(value)\""), "\(name)")
                case "--package-path": try checkPackage(value, words.drop { $0 != value }.dropFirst())
                case "--filter": #expect(Self.exists("Tests/" + value) || Self.exists("Tests/Core/" + value), "\(name)")
                default: break
                }
            }
            if words[1] == "format" {
                #expect(words.drop { $0 != "--recursive" }.dropFirst().allSatisfy(Self.exists), "\(name)")
            }
        }
    }

    /// Checks a benchmark program, its subcommand and its options.
    private func checkPackage(_ package: String, _ words: ArraySlice<String>) throws {
        let program = try #require(words.first)
        #expect(try Self.text(package + "/Package.swift").contains("name: \"\(program)\""))
        let sources = try Self.sources(package + "/Sources")
        for word in words.dropFirst() {
            if word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "-").enumerated()
                let property = parts.map { $0.offset == 0 ? String($0.element) : $0.element.capitalized }.joined()
                #expect(sources.contains("var \(property)"), "\(word)")
            } else if words.count == 2 {
                #expect(sources.contains("commandName: \"\(word)\""), "\(word)")
            }
        }
    }
}
