// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(1))) struct ResultWriterTests {
    private static func target(_ path: String) throws -> ResultTarget {
        try ResultTarget(path: path, input: try #require(FileStatus(path: "/dev/null")))
    }

    @Test func linesOfManyThreadsArriveWholeAndEachOnce() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("results")
        let writer = ResultWriter(try Self.target(path)) {}
        DispatchQueue.concurrentPerform(iterations: 500) { number in
            writer.append(Data("\(number)-\(String(repeating: "x", count: number * 10))\n".utf8))
        }
        try writer.finish()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let expected = (0..<500).map { "\($0)-\(String(repeating: "x", count: $0 * 10))" }
        #expect(lines.map(String.init).sorted() == expected.sorted())
    }

    @Test func linesKeepTheirOrder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("results")
        let writer = ResultWriter(try Self.target(path)) {}
        for number in 0..<10_000 { writer.append(Data("\(number)\n".utf8)) }
        try writer.finish()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.compactMap { Int($0) } == Array(0..<10_000))
    }

    @Test func errorIsReportedOnceAndAtTheEnd() throws {
        let count = Mutex(0)
        let writer = ResultWriter(try Self.target("/dev/full")) {
            count.withLock { $0 += 1 }
        }
        for number in 0..<100 { writer.append(Data("\(number)\n".utf8)) }
        let error = #expect(throws: CommandError.self) { try writer.finish() }
        #expect(error?.message.contains("/dev/full: No space left on device") == true)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func eachWriteIsWrapped() throws {
        let calls = Mutex(0)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let writer = ResultWriter(try Self.target(folder.path("results"))) { write in
            calls.withLock { $0 += 1 }
            write()
        } onError: {
        }
        writer.append(Data("a\n".utf8))
        try writer.finish()
        #expect(calls.withLock { $0 } == 1)
        #expect(try String(contentsOfFile: folder.path("results"), encoding: .utf8) == "a\n")
    }

    @Test func inputFileIsRefusedAndKept() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("lines", "precious")
        let input = try FileDescriptor(opening: path, O_RDONLY).status
        #expect(throws: CommandError.self) { try ResultTarget(path: path, input: input) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }
}
