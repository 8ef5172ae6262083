// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import TestSupport
import Testing

/// The version is the same everywhere.
@Suite struct VersionTests {
    @Test func changelogBeginsWithLibraryVersion() throws {
        let text = try String(contentsOf: CodeBlock.root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let heading = try #require(text.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.dropFirst(3).split(separator: " ").first.map(String.init) == LibraryVersion.text)
    }
}
