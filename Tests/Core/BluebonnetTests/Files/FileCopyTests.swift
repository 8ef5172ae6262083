// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct FileCopyTests {
    private let contents = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 5) })

    private func withFiles(in folders: [String], _ test: ([FileHandle]) throws -> Void) throws {
        let paths = folders.map { "\($0)/bluebonnet-copy-\(UUID().uuidString)" }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
        try test(try paths.map { try FileHandle(forUpdating: URL(fileURLWithPath: $0)) })
    }

    /// `/dev/shm` is another file system than the temporary folder, and has no shared copies.
    @Test(arguments: [["/tmp", "/tmp"], ["/tmp", "/dev/shm"], ["/dev/shm", "/tmp"], ["/dev/shm", "/dev/shm"]])
    func copyHasTheSourcesContents(_ folders: [String]) throws {
        try withFiles(in: folders) { files in
            try files[0].write(contentsOf: contents)
            try FileCopy.copy(
                files[0].fileDescriptor, to: files[1].fileDescriptor, byteCount: Int64(contents.count))
            try files[1].seek(toOffset: 0)
            #expect(try files[1].readToEnd() == contents)
            try files[1].seek(toOffset: 0)
            try files[1].write(contentsOf: Data("changed".utf8))
            try files[0].seek(toOffset: 0)
            #expect(try files[0].readToEnd() == contents)
        }
    }

    @Test func emptyFileIsCopied() throws {
        try withFiles(in: ["/tmp", "/tmp"]) { files in
            try FileCopy.copy(files[0].fileDescriptor, to: files[1].fileDescriptor, byteCount: 0)
            #expect(try files[1].readToEnd() ?? Data() == Data())
        }
    }

    @Test(arguments: [["/tmp", "/tmp"], ["/tmp", "/dev/shm"], ["/dev/shm", "/tmp"]])
    func shortSourceIsAnError(_ folders: [String]) throws {
        try withFiles(in: folders) { files in
            try files[0].write(contentsOf: contents)
            #expect(throws: POSIXError.self) {
                try FileCopy.copy(
                    files[0].fileDescriptor, to: files[1].fileDescriptor, byteCount: Int64(contents.count) + 1)
            }
        }
    }

    @Test(arguments: [["/tmp", "/tmp"], ["/tmp", "/dev/shm"], ["/dev/shm", "/tmp"]])
    func longSourceIsCopiedUpToTheLength(_ folders: [String]) throws {
        try withFiles(in: folders) { files in
            try files[0].write(contentsOf: contents)
            try FileCopy.copy(files[0].fileDescriptor, to: files[1].fileDescriptor, byteCount: 2_000_001)
            try files[1].seek(toOffset: 0)
            #expect(try files[1].readToEnd() == contents.prefix(2_000_001))
        }
    }
}
