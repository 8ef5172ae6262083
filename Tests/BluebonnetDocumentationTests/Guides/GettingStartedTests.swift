// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

extension PageTests {
    /// The lines of a page's block.
    private static func block(_ page: String, startingWith start: String) throws -> [String] {
        let block = try CodeBlock.ofPages().first { $0.page == page && $0.lines.first?.hasPrefix(start) == true }
        return try #require(block, "\(page) has no block that starts with \(start)").lines
    }

    /// The files that the page's shell block writes, by their names in the folder of the web server.
    private static func files() throws -> [String: String] {
        let pairs = try block("GettingStarted.md", startingWith: "mkdir ").compactMap { line in
            line.wholeMatch(of: /echo '(.*)' > site\/(.*)/).map { (String($0.2), String($0.1)) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test func gettingStartedPrintsThePagesOutput() async throws {
        let files = try Self.files()
        #expect(files.keys.sorted() == ["ada.json", "grace.json"])
        let answer: TestServer.Script = { request in
            guard let text = files[String(request.path.dropFirst())] else {
                return .response(status: 404, headers: ["Content-Type": "text/html"], body: "<p>not found")
            }
            return .response(headers: ["Content-Type": "application/json"], body: text)
        }
        printed.update { $0 = [] }
        try await Site.scripted(answer) { site in
            try await Self.gettingStarted(site.server.url("/"))
        }
        #expect(try printed.value == Self.block("GettingStarted.md", startingWith: "Hello"))
    }

    @Test func packageLinesNameInstalledPackages() throws {
        let script = CodeBlock.root.appendingPathComponent("Scripts/install-build-tools")
        let text = try String(contentsOf: script, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("for package in ") })
        let installed = Set(line.split { $0 == " " || $0 == ";" })
        let lines = try ["README.md", "GettingStarted.md"].map { try Self.block($0, startingWith: "apt-get ")[0] }
        for line in lines {
            let words = line.split(separator: " ")
            #expect(words.prefix(2) == ["apt-get", "install"] && words.count == 6)
            #expect(words.dropFirst(2).allSatisfy(installed.contains), "\(line)")
        }
    }

    /// The image for builds is that of the fleet's container. `Scripts/test-across` runs a program with the packages of
    /// the other image.
    @Test func readmeImagesAreThoseOfTheContainerfile() throws {
        let words = { (path: String) in
            let file = CodeBlock.root.appendingPathComponent(path)
            let text = try String(contentsOf: file, encoding: .utf8)
            return Set(text.split { $0 == " " || $0 == "\n" || $0 == "/" }.map(String.init))
        }
        let lines = try Self.block("README.md", startingWith: "FROM ")
        let second = try #require(lines.firstIndex { $0.hasPrefix("FROM debian:") })
        let named = { (lines: ArraySlice<String>) in
            lines.filter { $0.hasPrefix("FROM ") || $0.hasPrefix("    ") }.flatMap { $0.split(separator: " ") }
                .map(String.init)
        }
        let (build, run) = (named(lines[..<second]), named(lines[(second + 1)...]))
        #expect(build.contains("swift:6.1-bookworm") && run.contains("libcurl4"))
        let (container, across) = (try words("Examples/Fleet/Containerfile"), try words("Scripts/test-across"))
        #expect(build.filter { !container.contains($0) } == [])
        #expect(run.filter { !across.contains($0) } == [])
    }

    @Test func gettingStartedServesTheFolderOfItsFiles() throws {
        let line = try Self.block("GettingStarted.md", startingWith: "python3 ")[0]
        #expect(line.hasSuffix("--bind 127.0.0.1 --directory site 8080"))
        let manifest = try Self.block("GettingStarted.md", startingWith: "// swift-tools-version: 6.1").joined()
        #expect(manifest.contains(#".product(name: "Bluebonnet", package: "bluebonnet")"#))
        #expect(manifest.contains(#".package(name: "bluebonnet", path: "../bluebonnet", traits: [])"#))
    }
}
