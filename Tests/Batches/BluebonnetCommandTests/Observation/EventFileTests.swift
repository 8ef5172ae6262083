// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct EventFileTests {
    private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test func fileIsCompleteAfterEachWrite() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.json")
        try folder.write("a.json", String(repeating: "old ", count: 100))
        var file = try EventFile(option: "--har", path: path, others: [])
        #expect(text(path)?.hasPrefix("old ") == true)
        file.begin("[", tail: "\n]\n")
        #expect(text(path) == "[\n]\n")
        file.append("1")
        #expect(text(path) == "[1\n]\n")
        file.append(",\n2")
        try file.finish()
        #expect(text(path) == "[1,\n2\n]\n")
    }

    @Test func fileThatIsUsedOtherwiseIsRefused() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("a", "kept")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
        let others = [(try #require(FileStatus(path: path)), "the journal")]
        #expect(throws: CommandError.unusable("cannot open \(folder.path("link")) for --log: it is the journal")) {
            _ = try EventFile(option: "--log", path: folder.path("link"), others: others)
        }
        #expect(text(path) == "kept")
    }

    @Test func unwritablePathIsNamedWithTheReason() {
        #expect(throws: CommandError.unusable("cannot open /no/such/a for --log: No such file or directory")) {
            _ = try EventFile(option: "--log", path: "/no/such/a", others: [])
        }
    }

    @Test func fullDeviceIsReportedAtTheEnd() throws {
        var file = try EventFile(option: "--log", path: "/dev/full", others: [])
        file.begin("")
        file.append("a")
        file.append("b")
        #expect(throws: CommandError.unusable("cannot write to /dev/full for --log: No space left on device")) {
            try file.finish()
        }
    }
}
