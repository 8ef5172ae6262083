// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetBatch

@Suite struct ElementReaderTests {
    private static func elements(_ body: String, _ path: String, limit: Int = .max) throws -> [JSONValue] {
        let source = ReferenceSource(status: 200, body: Data(body.utf8))
        let response = ElementFeed.Arrival(id: "l", source: source, items: .elements)
        var values: [JSONValue] = []
        try ElementReader.read(response, at: JSONPath(path)) { value in
            values.append(value)
            return values.count < limit
        }
        return values
    }

    @Test(
        arguments: [
            ("[1,2,3]", "$[*]", [1, 2, 3]), (#"{"d":[{"a":1},{"a":2}]}"#, "$.d[*].a", [1, 2]), ("[]", "$[*]", []),
            // The later of two members counts, and elements of the first are not delivered before.
            (#"{"d":[1,2],"d":[3]}"#, "$.d[*]", [3]), (#"{"a":{"x":1},"b":{"x":2}}"#, "$..x", [1, 2]),
        ] as [(String, String, [JSONValue])]) func elementsOfABodyComeInOrder(
            body: String, path: String, expected: [JSONValue]
        ) throws
    {
        #expect(try Self.elements(body, path) == expected)
    }

    @Test func readingStopsWhenNoMoreIsWanted() throws {
        #expect(try Self.elements("[1,2,3,4]", "$[*]", limit: 2) == [1, 2])
    }

    @Test func brokenBodyDeliversNoElement() throws {
        var count = 0
        let source = ReferenceSource(status: 200, body: Data("[1,2,".utf8))
        let response = ElementFeed.Arrival(id: "l", source: source, items: .elements)
        do throws(ElementReader.Failure) {
            try ElementReader.read(response, at: .elements) { _ in
                count += 1
                return true
            }
            Issue.record("no error")
        } catch {
            #expect(error.code == .cannotParseResponse && count == 0)
        }
    }

    private static func rows(_ name: String, _ text: String) throws -> (rows: [JSONValue], error: String?) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        var rows: [JSONValue] = []
        do throws(ElementReader.Failure) {
            try ElementReader.read(file: file.path) { row in
                rows.append(row)
                return true
            }
            return (rows, nil)
        } catch {
            return (rows, error.message.replacingOccurrences(of: folder.path, with: ""))
        }
    }

    @Test func rowsOfFilesHaveTheirNames() throws {
        let csv = try Self.rows("a.CSV", "sku,price\na,1.5\n\"b,c\",2\n")
        #expect(csv.error == nil && csv.rows == [["sku": "a", "price": "1.5"], ["sku": "b,c", "price": "2"]])
        let lines = try Self.rows("a.ndjson", "{\"sku\":1}\n\n[2]\r\n\"x\"")
        #expect(lines.error == nil && lines.rows == [["sku": 1], [2], "x"])
    }

    @Test func brokenFileNamesItsLine() throws {
        let lines = try Self.rows("a.jsonl", "{}\n{\n")
        #expect(lines.rows == [[:]])
        #expect(lines.error?.hasPrefix("the elements of /a.jsonl cannot be read: line 2 is not JSON: ") == true)
        let csv = try Self.rows("a.csv", "a,b\n1,2\n3\n")
        #expect(csv.rows.count == 1 && csv.error?.contains("line 3") == true)
    }

    private static func failure(of path: String) -> ElementReader.Failure? {
        do throws(ElementReader.Failure) {
            try ElementReader.read(file: path) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    @Test func lineWithoutEndIsRefused() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("a.ndjson", "")
        #expect(truncate(path, 1 << 30) == 0)  // a hole: only zeros
        let failure = Self.failure(of: path)
        #expect(failure?.code == .cannotReadFile)
        #expect(failure?.message.hasSuffix("line 1 is longer than 64 MiB") == true)
    }

    @Test(arguments: ["device", "pipe", "folder"]) func onlyRegularFilesAreRead(kind: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("\(kind).csv")
        switch kind {
        case "device": #expect(symlink("/dev/zero", path) == 0)
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        default: #expect(mkdir(path, 0o700) == 0)
        }
        let message = "the elements of \(path) cannot be read: it is not a regular file"
        #expect(Self.failure(of: path)?.message == message)
        #expect(throws: ElementReader.Failure.self) { try ElementReader.columns(ofCSV: path) }
        #expect(throws: ElementReader.Failure.self) { try ElementReader.check(file: path) }
    }

    @Test func missingFileIsAnError() throws {
        do throws(ElementReader.Failure) {
            try ElementReader.read(file: "/no/such.csv") { _ in true }
            Issue.record("no error")
        } catch {
            #expect(error.code == .cannotReadFile)
            #expect(error.message == "the elements of /no/such.csv cannot be read: No such file or directory")
        }
    }

    @Test func namesOfColumnsComeFromTheHeader() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv")
        try Data("sku,\"the price\"\n1,2\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try ElementReader.columns(ofCSV: file.path) == ["sku", "the price"])
    }
}
