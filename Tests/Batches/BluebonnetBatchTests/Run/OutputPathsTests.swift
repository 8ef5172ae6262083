// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct OutputPathsTests {
    private func lines(_ outputs: [String]) -> [NumberedLine] {
        outputs.enumerated().map { index, output in
            var line = RequestLine(id: "l\(index + 1)", url: "u")
            line.output = output
            return NumberedLine(number: index + 1, line: line)
        }
    }

    private static let workingDirectory = FileManager.default.currentDirectoryPath

    @Test(arguments: [
        ("/tmp/a", "/tmp/a"), ("/tmp/a", "/tmp//./a"), ("/tmp/a", "/tmp/b/../a"), ("a", "./a"), ("a", "b/../a"),
        ("a", "\(workingDirectory)/a"), ("/../a", "/a"), ("/tmp/$${x}", "/tmp/./$${x}"), ("dir", "dir/"),
        ("dir", "x/.././dir//"),
    ])
    func linesWithTheSameOutputAreAnError(_ first: String, _ second: String) throws {
        let all = lines([first, second])
        let expected = RequestLineError(line: 2, field: "output", message: "line 1 already writes to this file")
        let errors = try #require(throws: RequestLineErrors.self) { try RequestLineGraph(all) }
        #expect(errors.errors == [expected])
        var graph = RequestLineGraph()
        try graph.add(all[0])
        #expect(throws: expected) { try graph.add(all[1]) }
    }

    @Test func anyNumberOfLinesMayWriteToADevice() throws {
        #expect(try RequestLineGraph(lines(["/dev/null", "/dev/null", "/dev/./null"])).nodes.count == 3)
    }

    @Test(arguments: [
        (".", "./"), ("..", "../"), ("dir/.", "dir/"), ("dir/", "dir/"), ("dir/", "./dir//"),
        ("/tmp/a/", "/tmp/b/../a/"), ("/", "//"),
    ])
    func linesMayWriteIntoOneFolder(_ first: String, _ second: String) throws {
        #expect(try RequestLineGraph(lines([first, second, first])).nodes.count == 3)
    }

    @Test func fileWithTheNameOfAFolderIsAnError() throws {
        let all = lines(["dir/", "dir/", "x/../dir"])
        let errors = try #require(throws: RequestLineErrors.self) { try RequestLineGraph(all) }
        let message = "line 2 already writes into this folder"
        #expect(errors.errors == [RequestLineError(line: 3, field: "output", message: message)])
    }

    @Test(arguments: [
        ("/tmp/a", "/tmp/A"), ("/tmp/a", "/tmp/a/b"), ("/tmp/a", "tmp/a"), ("a b", "a  b"), ("...", ".."),
        ("/tmp/\u{E9}", "/tmp/e\u{301}"), ("dir/", "dir/file"), ("dir/", "dir.d/"),
    ])
    func differentFilesAreNoError(_ first: String, _ second: String) throws {
        #expect(try RequestLineGraph(lines([first, second])).nodes.count == 2)
    }

    @Test func pathWithAReferenceIsNotCompared() throws {
        let graph = try RequestLineGraph(lines(["/tmp/x", "/tmp/${l1.status}", "/tmp/${l1.status}"]))
        #expect(graph.nodes.count == 3)
    }
}
