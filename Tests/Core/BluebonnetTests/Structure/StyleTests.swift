// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Rules for the source tree that a machine can check.
@Suite(.timeLimit(.minutes(1))) struct StyleTests {
    /// A source file, with its path from the package's root.
    struct SourceFile {
        let path: String
        let lines: [Substring]
    }

    /// The manifest's folder, above this file.
    static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    static let sources = files(in: "Sources")
    static let sourcesInC = files(in: "Sources", endings: [".c", ".h"])
    static let tests = files(in: "Tests")

    private static func files(in folder: String, endings: [String] = [".swift"]) -> [SourceFile] {
        let paths = FileManager.default.enumerator(atPath: root.path + "/" + folder)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in endings.contains { path.hasSuffix($0) } }.sorted().compactMap { path in
            let text = try? String(contentsOf: root.appendingPathComponent(folder + "/" + path), encoding: .utf8)
            let lines = text?.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.map { SourceFile(path: folder + "/" + path, lines: $0) }
        }
    }

    /// The places where a line's code, without its comment, matches.
    private static func places(
        in files: [SourceFile], where matches: (_ line: Substring, _ path: String) -> Bool
    ) -> [String] {
        files.flatMap { file in
            file.lines.enumerated().compactMap { number, line in
                let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
                return matches(code, file.path) ? "\(file.path):\(number + 1)" : nil
            }
        }
    }
}

extension StyleTests {
    @Test func sourceTreeIsFound() {
        #expect(Self.sources.count > 50)
        #expect(Self.tests.contains { $0.path.hasSuffix("/StyleTests.swift") })
    }

    /// ThreadSanitizer only sees the locks of BluebonnetLocks.
    @Test func filesWithMutexesImportBluebonnetLocks() {
        let users = (Self.sources + Self.tests).filter { file in
            !file.path.hasPrefix("Sources/Core/BluebonnetLocks/") && !file.path.contains("/Structure/")
                && file.lines.contains { $0.contains("Mutex<") || $0.contains("Mutex(") || $0.contains(".withLock") }
        }
        #expect(users.count > 50)
        let strays = users.filter { file in
            !file.lines.contains { $0.hasSuffix("import BluebonnetLocks") }
                || file.lines.contains { $0.hasSuffix("import Synchronization") }
        }
        #expect(strays.map(\.path) == [])
    }

    @Test(arguments: [
        ("CCurl", "/Transport/Curl/"), ("COpenSSL", "/OpenSSL/"),
        ("CZlib", "/Bodies/"), ("CPostgreSQL", "/PostgreSQL/"),
    ])
    func systemLibraryIsImportedOnlyInItsFolder(module: String, folder: String) {
        let strays = Self.places(in: Self.sources) { line, path in
            line.hasSuffix("import \(module)") && !path.contains(folder)
        }
        #expect(strays == [])
    }

    @Test func noFileIsTooLong() {
        let long = Self.sources.filter { $0.lines.count - 1 > 450 } + Self.tests.filter { $0.lines.count - 1 > 500 }
        #expect(long.map { "\($0.path): \($0.lines.count - 1) lines" } == [])
    }

    /// The formatter only checks code.
    @Test func commentsFitTheLineWidth() {
        let wide = (Self.sources + Self.tests).flatMap { file in
            file.lines.enumerated().filter { _, line in
                line.utf8.count > 120 && line.count > 120 && line.drop(while: \.isWhitespace).hasPrefix("//")
            }.map { "\(file.path):\($0.offset + 1)" }
        }
        #expect(wide == [])
    }

    @Test func everyFileStartsWithTheLicenceHeader() {
        let header = ["// Bluebonnet: HTTP operations for Swift on Linux.", "// SPDX-License-Identifier: MIT", ""]
        let without = (Self.sources + Self.tests).filter { $0.lines.prefix(3).map(String.init) != header }
        #expect(without.map(\.path) == [])
    }

    @Test func sourcesDoNotUseForceTry() {
        #expect(Self.places(in: Self.sources) { line, _ in line.contains("try!") } == [])
    }

    @Test func lifecycleNamesEveryStateAndEventPair() throws {
        let file = try #require(Self.sources.first { $0.path.hasSuffix("/OperationLifecycle.swift") })
        let start = try #require(file.lines.firstIndex { $0.contains("mutating func handle(") })
        let end = try #require(file.lines[start...].firstIndex { $0 == "    }" })
        let body = file.lines[start...end].map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(!body.contains { $0.hasPrefix("default") || $0.hasPrefix("@unknown") })
        let wildcards = body.filter { $0.hasPrefix("case") && $0.contains("_") }
        #expect(wildcards == ["case (.finished, _):"])
    }

    @Test func uncheckedSendableIsLimitedToListedTypes() {
        let strays = Self.places(in: Self.sources) { line, _ in
            guard line.contains("@unchecked Sendable") else { return false }
            let allowed = [
                ": Operation, @", ": RequestOperation, @", "struct NetworkBound<Value>: @",
                "struct QueueBound<Value>: @", "struct Mutex<Value: ~Copyable>: ~Copyable, @",
            ]
            return !allowed.contains { line.contains($0 + "unchecked Sendable") }
        }
        #expect(strays == [])
    }

    @Test func everyUncheckedAnnotationStatesItsReason() {
        let strays = Self.sources.flatMap { file in
            file.lines.filter {
                ($0.contains("@unchecked Sendable") || $0.contains("nonisolated(unsafe)")) && !$0.contains("// safe: ")
            }
        }
        #expect(strays == [])
    }

    @Test func noReferenceIsUnownedUnsafe() {
        #expect(Self.places(in: Self.sources) { line, _ in line.contains("unowned(unsafe)") } == [])
    }

    @Test func sourcesContainNoToDoMarks() {
        let marks = ["TODO", "FIXME", "XXX"]
        let places = Self.sources.flatMap { file in
            file.lines.filter { line in marks.contains { line.contains($0) } }.map { "\(file.path): \($0)" }
        }
        #expect(places == [])
    }
}
