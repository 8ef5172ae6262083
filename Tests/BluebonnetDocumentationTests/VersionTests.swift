// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import TestSupport
import Testing

/// The version is the same everywhere.
@Suite struct VersionTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: CodeBlock.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func changelogBeginsWithLibraryVersion() throws {
        let heading = try #require(try text("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.dropFirst(3).split(separator: " ").first.map(String.init) == LibraryVersion.text)
    }

    /// A heading has a date, or says that there is no release.
    @Test func newestHeadingOfChangelogHasDateOrSaysNotReleased() throws {
        let heading = try #require(try text("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.wholeMatch(of: /## \d+\.\d+\.\d+ \((not released yet|\d{4}-\d{2}-\d{2})\)/) != nil)
    }

    @Test(arguments: [
        ("README.md", #"bluebonnet.git", from: "VERSION""#),
        ("README.md", "Version VERSION "),
        ("CITATION.cff", "version: VERSION\n"),
        ("Sources/Core/Bluebonnet/Bluebonnet.docc/TestingYourProgram.md", "Bluebonnet/VERSION (Linux; Swift)"),
        ("Sources/Core/Bluebonnet/Bluebonnet.docc/Releases.md", "the tag `VERSION`"),
    ])
    func textHasLibraryVersion(path: String, words: String) throws {
        #expect(try text(path).contains(words.replacingOccurrences(of: "VERSION", with: LibraryVersion.text)))
    }

    /// The files of a release name no version: they ask the command or read `Version.swift`.
    @Test(arguments: ["Scripts/package-deb", "Scripts/make-image", "Scripts/man-pages", "Examples/Fleet/Containerfile"])
    func scriptNamesNoVersion(path: String) throws {
        #expect(!(try text(path).contains(LibraryVersion.text)))
    }

    @Test func securityPolicyHasMinorVersion() throws {
        let minor = LibraryVersion.text.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(try text("SECURITY.md").contains("| \(minor).x"))
    }
}
