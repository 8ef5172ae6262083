// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Foundation
import Testing

/// The `gzip` command accepts handmade data.
@Suite struct CompressedTests {
    @Test func gzipMemberHasItsText() throws {
        #expect(try unpacked(Compressed.gzip("hello you")) == Data("hello you".utf8))
    }

    @Test func zerosMatchTheBlockCount() throws {
        #expect(try unpacked(Compressed.zeros(blockCount: 1000)) == Data(count: 258_001))
    }

    @Test func cutMemberIsRefused() {
        #expect(throws: (any Error).self) { try unpacked(Compressed.gzip("hello you").dropLast()) }
    }

    private struct Refused: Error {}

    private func unpacked(_ bytes: [UInt8]) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
        return data
    }
}
