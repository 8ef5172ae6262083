// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Checks the documentation's statements about the source tree.
@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    private static let folder = StyleTests.root.appendingPathComponent("Sources/Core/Bluebonnet/Bluebonnet.docc")

    static func page(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// The names of `.swift` files in backquotes.
    private static func fileNames(in text: some StringProtocol) -> [String] {
        text.components(separatedBy: "`").filter { $0.hasSuffix(".swift") && !$0.contains(" ") }
    }

    /// Pages name a file by its name or by the end of its path.
    @Test func fileNamedOnAPageExistsOnce() throws {
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".md") }
        #expect(pages.contains("WayOfARequest.md"))
        for page in pages {
            // Files of the package that the reader makes.
            let own = page == "GettingStarted.md" ? ["Package.swift", "Sources/hello/main.swift"] : []
            for name in Self.fileNames(in: try Self.page(page)) where !own.contains(name) {
                let files = StyleTests.sources.filter { ("/" + $0.path).hasSuffix("/" + name) }
                #expect(files.count == 1, "\(name) on \(page)")
            }
        }
    }

    /// Pages name a test by its suite and its function.
    @Test func testNamedOnAPageExists() throws {
        let tests = Self.tests(in: StyleTests.tests)
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".md") }
        for page in pages {
            let names = Self.testNames(in: try Self.page(page))
            #expect(names.count > 100 || page != "Security.md")
            #expect(names.filter { !tests.contains($0) } == [], "\(page)")
        }
    }

    /// The words in backquotes that name a suite and a function.
    private static func testNames(in text: String) -> [String] {
        text.components(separatedBy: "`").filter { word in
            let parts = word.split(separator: ".")
            return parts.count == 2 && parts[0].hasSuffix("Tests") && parts[1] != "swift" && !word.contains(" ")
        }
    }

    /// The test functions, as suite, dot and function.
    private static func tests(in files: [StyleTests.SourceFile]) -> Set<String> {
        var tests: Set<String> = []
        for file in files {
            var (suite, isTest) = ("", false)
            for line in file.lines where ["func ", "Tests", "@Test"].contains(where: { line.contains($0) }) {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                isTest = isTest || line.contains("@Test")
                for (word, name) in zip(words, words.dropFirst()) {
                    if ["struct", "class", "extension"].contains(word), name.hasSuffix("Tests") { suite = name }
                    guard word == "func" else { continue }
                    if isTest { tests.insert("\(suite).\(name)") }
                    isTest = false
                }
            }
        }
        return tests
    }

    @Test func everyLockIsListedOnTheLocksPage() throws {
        let page = try Self.page("LocksAndWaits.md")
        var names: [String] = []
        let folders = ["Sources/Core/Bluebonnet/", "Sources/Core/BluebonnetNetwork/"]
        for file in StyleTests.sources where folders.contains(where: file.path.hasPrefix) {
            guard !file.path.hasSuffix("/LockOrder.swift"), !file.path.hasSuffix("/Mutex.swift") else { continue }
            for line in file.lines where line.contains(": Mutex<") || line.contains("= Mutex") {
                let words = line.split { $0 == " " || $0 == ":" }
                if let index = words.firstIndex(of: "let") { names.append(String(words[index + 1])) }
            }
        }
        #expect(names.count > 30)
        #expect(names.filter { !page.contains(".\($0)`") } == [])
    }

    @Test func requestPathIsExplainedInAtMostFifteenFiles() throws {
        let page = try Self.page("WayOfARequest.md")
        let table = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The files to read") } ?? ""
        let names = Self.fileNames(in: table)
        #expect((8...15).contains(Set(names).count), "\(names)")
        #expect(Set(names).count == names.count)
    }

    /// Objects of the network thread receive their event loop at initialization, so that a test can turn a loop
    /// itself.
    @Test func sharedEventLoopIsUsedOnlyWhereObjectsAreCreated() {
        let places: Set = [
            "Drain.swift", "Governor.swift", "NetworkMonitor.swift", "NetworkServices.swift", "NetworkTimers.swift",
            "OperationRounds.swift", "StartBatch.swift",
        ]
        let found = StyleTests.sources.filter { file in
            file.lines.contains { $0.contains("NetworkThread.shared.eventLoop") }
        }.compactMap { $0.path.split(separator: "/").last.map(String.init) }
        #expect(Set(found).subtracting(places) == [])
    }
}
