// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BluebonnetBatch

@Suite struct BatchFileTests {
    private static let limits = LineSchedule.Limits(concurrency: 64, concurrencyPerOrigin: 6)

    /// Calls `body` with the path and the descriptor of a file that contains the text.
    private static func withFile<Result>(
        _ text: Data, _ body: (String, CInt) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("lines", text)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        return try body(path, descriptor)
    }

    /// The errors of the file check, and the errors of the whole graph, which small batches use.
    private static func errors(_ text: String) throws -> (file: [RequestLineError], graph: [RequestLineError]) {
        let data = Data(text.utf8)
        var (file, graph) = ([RequestLineError](), [RequestLineError]())
        try withFile(data) { _, descriptor in
            do throws(BatchFileCheck.Failure) {
                _ = try BatchFileCheck.check(descriptor, limits: limits)
            } catch {
                if case .badLines(let errors) = error { file = errors.errors }
            }
        }
        do throws(RequestLineErrors) {
            _ = try RequestLineGraph(RequestLineParser().parse(file: data))
        } catch {
            graph = error.errors
        }
        return (file, graph)
    }

    @Test(arguments: [
        #"{"url":1}"# + "\n\n" + #"{"nothing":2}"#, #"{"id":"a","url":"u"}"# + "\n" + #"{"id":"a","url":"u"}"#,
        #"{"url":"u"}"# + "\n" + #"{"id":"1","url":"u"}"#, #"{"id":"2","url":"u"}"# + "\n" + #"{"url":"u"}"#,
        #"{"url":"u","after":["nobody"]}"#, #"{"id":"a","url":"${a.status}"}"#, #"{"url":"${a.status","id":"b"}"#,
        #"{"id":"a","url":"u","after":["b"]}"# + "\n" + #"{"id":"b","url":"u","after":["a"]}"#,
        #"{"url":"u","output":"x"}"# + "\n" + #"{"url":"u","output":"./x"}"#,
        #"{"url":"u","headers":{"A":"${7.body}","B":"${nobody.body}"},"after":["2"]}"# + "\n" + #"{"url":"u"}"#,
        "# comment\n\n#\n" + #"{"url":1}"#, "\u{FEFF}# comment\n" + #"{"id":"1","url":"${2.status}"}"#,
        #"{"id":"a","url":"u"}"# + "\n" + #"{"url":"${a.values.x}"}"# + "\n" + #"{"url":"${a.items}"}"#,
        #"{"url":"${p.body}${p/1.items}"}"# + "\n" + #"{"id":"p","url":"u","paginate":{"next":"link"}}"#,
        #"{"id":"a","url":"u","extract":{"n":"$.n"}}"# + "\n" + #"{"url":"${a.values.n}","text":"${a.values.m}"}"#,
        #"{"id":"s","url":"u","stream":"lines"}"# + "\n" + #"{"url":"x","each":{"of":"s","as":"e"}}"#,
        "\u{FEFF}{\"url\":\"u\"}\n\u{FEFF}{\"url\":\"u\"}", "{\"url\":\"u\"}\r\n{\"url\":\"u\"\n",
    ])
    func fileCheckReportsTheSameErrorsAsTheGraph(text: String) throws {
        let errors = try Self.errors(text)
        #expect(!errors.file.isEmpty && errors.file == errors.graph)
    }

    /// Lines of many lengths, empty lines and comments. Some are longer than one read; some depend on other lines,
    /// including later ones.
    private static func longFile() -> Data {
        var generator = SeededGenerator(seed: 11)
        let lines = (1...9_000).map { number in
            if number % 11 == 0 { return number % 2 == 0 ? "" : "#" + String(repeating: "{", count: number) }
            let length = number % 3_000 == 1 ? 5_000_000 : Int.random(in: 0...900, using: &generator)
            let other = number % 7 == 1 && number % 11 != 3 ? #""after":["id \#(9_001 - number)"],"# : ""
            let id = number % 2 == 0 || number % 7 == 5 ? #""id":"id \#(number)","# : ""
            return #"{\#(id)\#(other)"url":"u\#(number)","text":"\#(String(repeating: "x", count: length))"}"#
        }
        return Data(lines.joined(separator: "\n").utf8)
    }

    @Test func longFileHasTheLinesThatTheParserReads() throws {
        let data = Self.longFile()
        let ids = Set(try RequestLineParser().parse(file: data).map(\.id))
        #expect(ids.count > 8_000)
        try Self.withFile(data) { _, descriptor in
            var bytes = Data()
            let checked: (file: BatchFile, schedule: LineSchedule)
            do throws(BatchFileCheck.Failure) {
                checked = try BatchFileCheck.check(descriptor, limits: Self.limits) { bytes.append(contentsOf: $0) }
            } catch {
                Issue.record("\(error)")
                return
            }
            #expect(bytes == data)
            let nodes = try RequestLineGraph(RequestLineParser().parse(file: data)).nodesInDependencyOrder
            #expect(try checked.file.nodes() == nodes && checked.schedule.count == nodes.count)
            #expect(nodes.indices.allSatisfy { checked.file.id(at: $0) == nodes[$0].line.id })
            #expect(nodes.indices.allSatisfy { checked.file.position(of: nodes[$0].line.id) == $0 })
        }
    }

    @Test func lineChangedSinceTheCheckIsNotRun() throws {
        let text = #"{"url":"a"}"# + "\n" + #"{"url":"b"}"# + "\n"
        try Self.withFile(Data(text.utf8)) { path, descriptor in
            let file = try BatchFileCheck.check(descriptor, limits: Self.limits).file
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seek(toOffset: UInt64(text.utf8.count - 4))
            try handle.write(contentsOf: Data("c".utf8))
            try handle.close()
            #expect(try file.node(at: 0).line.line.url == "a")
            let message = "the request lines changed during the run: line 2 is different"
            #expect(throws: LineSourceError(message)) { try file.node(at: 1) }
            truncate(path, 5)
            #expect(throws: LineSourceError.self) { try file.node(at: 0) }
        }
    }

    @Test func fileIsReadFromTheDescriptorOffset() throws {
        let text = "not a line\n" + #"{"id":"a","url":"a"}"#
        try Self.withFile(Data(text.utf8)) { _, descriptor in
            lseek(descriptor, 11, SEEK_SET)
            let file = try BatchFileCheck.check(descriptor, limits: Self.limits).file
            #expect(file.count == 1 && file.id(at: 0) == "a")
        }
    }

    @Test func outputToAReservedFileIsAnError() throws {
        let text = #"{"url":"a","output":"x/../batch.journal"}"#
        try Self.withFile(Data(text.utf8)) { _, descriptor in
            let reserved = [ReservedPath("./batch.journal", "the journal is in this file")]
            let expected = RequestLineError(line: 1, field: "output", message: "the journal is in this file")
            do throws(BatchFileCheck.Failure) {
                _ = try BatchFileCheck.check(descriptor, limits: Self.limits, reserved: reserved)
                Issue.record("no error")
            } catch {
                guard case .badLines(let errors) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(errors.errors == [expected])
            }
            let stream = StreamedLines(reserved: reserved)
            let line = try #require(try RequestLineParser().parse(line: Data(text.utf8), number: 1))
            #expect(throws: expected) { try stream.add(line) }
        }
    }
}
