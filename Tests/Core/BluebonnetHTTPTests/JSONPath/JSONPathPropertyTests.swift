// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import BluebonnetHTTP

/// Properties of random paths on random documents.
@Suite(.timeLimit(.minutes(1))) struct JSONPathPropertyTests {
    @Test(arguments: 0..<20 as Range<UInt64>) func streamEqualsEvaluator(seed: UInt64) throws {
        var random = RandomJSONPath(seed: seed)
        var selectedCount = 0
        for _ in 0..<300 {
            let (path, text) = (try JSONPath(random.path()), Array(random.document().utf8))
            try text.withUnsafeBytes { bytes in
                let parsed = try JSONParser.parse(bytes)
                let expected = try path.values(in: parsed.value)
                #expect(try path.values(inText: bytes) == expected, "\(path)")
                try expectDelivered(path, bytes, expected, hasRepeatedName: parsed.hasRepeatedName)
                selectedCount += expected.count
            }
        }
        #expect(selectedCount > 50)
    }

    /// Checks the values and the ranges that are delivered one by one, to the end and until the closure stops.
    private func expectDelivered(
        _ path: JSONPath, _ text: UnsafeRawBufferPointer, _ expected: [JSONValue], hasRepeatedName: Bool
    ) throws {
        do {
            var values: [JSONValue] = []
            try path.forEachValue(inText: text) { value in
                values.append(value)
                return values.count < 3
            }
            #expect(values == Array(expected.prefix(3)), "\(path)")
            guard path.hasRanges else { return }
            values = []
            try path.forEachRange(inText: text) { range in
                values.append(try JSONParser.value(of: UnsafeRawBufferPointer(rebasing: text[range])))
                return true
            }
            #expect(values == expected, "\(path)")
        } catch is JSONPathRepeatedMember {
            #expect(hasRepeatedName, "\(path)")
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func streamRefusesWhatParserRefuses(seed: UInt64) throws {
        var random = RandomJSONPath(seed: seed)
        var refusedCount = 0
        for _ in 0..<300 {
            let (path, text) = (try JSONPath(random.path()), random.damaged(Array(random.document().utf8)))
            text.withUnsafeBytes { bytes in
                do throws(JSONSyntaxError) {
                    try JSONParser.check(bytes)
                } catch {
                    refusedCount += 1
                    #expect(throws: error, "\(path)") { try path.values(inText: bytes) }
                }
            }
        }
        #expect(refusedCount > 50)
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func normalizedPathSelectsItsValueOnly(seed: UInt64) throws {
        var random = RandomJSONPath(seed: seed)
        for _ in 0..<100 {
            let path = try JSONPath(random.path())
            let document = try JSONPathSample.value(random.document())
            let nodes = try path.nodes(in: document)
            #expect(try nodes.map(\.value) == path.values(in: document))
            for node in nodes.prefix(20) {
                let normalized = try JSONPath(node.path)
                #expect(normalized.isSingular)
                #expect(try normalized.nodes(in: document) == [node])
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func damagedPathIsRefusedOrEvaluated(seed: UInt64) throws {
        var random = RandomJSONPath(seed: seed)
        for _ in 0..<500 {
            let text = String(decoding: random.damaged(Array(random.path().utf8)), as: UTF8.self)
            let document = try JSONPathSample.value(random.document())
            do throws(JSONPathError) {
                let path = try JSONPath(text)
                #expect(throws: Never.self) { try path.values(in: document) }
            } catch {
                #expect((0...text.utf8.count).contains(error.offset) && !error.reason.hasSuffix("."), "\(text)")
            }
        }
    }
}

/// Makes random documents and paths with few names, so that many paths select something.
private struct RandomJSONPath {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }

    private mutating func space() -> String { pick(["", "", "", " ", "\n  ", "          \t"]) }

    /// JSON text, with repeated names in some objects.
    mutating func document(depth: Int = 0) -> String {
        let space = (space(), space())
        let count = Int.random(in: 0...(depth == 0 ? 5 : 3), using: &random)
        switch Int.random(in: depth > 3 ? 2...3 : 0...(depth < 2 ? 2 : 4), using: &random) {
        case 0:
            return "\(space.0)[\((0..<count).map { _ in document(depth: depth + 1) }.joined(separator: ","))\(space.1)]"
        case 1:
            let members = (0..<count).map { _ in "\(self.space())\(name())\(self.space()):\(document(depth: depth + 1))"
            }
            return "\(space.0){\(members.joined(separator: ","))\(space.1)}"
        default: return space.0 + scalar() + space.1
        }
    }

    private mutating func name() -> String {
        pick([#""a""#, #""b""#, #""c""#, #""id""#, #""""#, #""\u0061""#, #""é""#, #""e\u0301""#, #""long name 123""#])
    }

    private mutating func scalar() -> String {
        pick([
            "null", "true", "false", "0", "1", "-2", "1.0", "1e2", "12345678901234567890", #""a""#,
            #""\n\ud83d\ude00""#, #""long text of words""#,
        ])
    }

    mutating func path() -> String {
        "$" + (0..<Int.random(in: 0...4, using: &random)).map { _ in segment() }.joined()
    }

    private mutating func segment() -> String {
        switch Int.random(in: 0...9, using: &random) {
        case 0...2: pick([".a", ".b", ".id", ".é"])
        case 3...4: pick(["[*]", ".*"])
        case 5: pick(["..a", "..*", "..[0]"])
        case 6: "[\(selector()),\(selector())]"
        default: "[\(selector())]"
        }
    }

    private mutating func selector() -> String {
        switch Int.random(in: 0...4, using: &random) {
        case 0: pick(["'a'", "'b'", "\"c\"", "''", #"'e\u0301'"#, "'long name 123'", "*"])
        case 1: "\(Int.random(in: -3...3, using: &random))"
        case 2: pick([":", "1:", ":2", "::2", "1::2", "::-1", "-2:", "2:0:-1", "0:9:3"])
        default: "?" + condition()
        }
    }

    private mutating func condition() -> String {
        switch Int.random(in: 0...5, using: &random) {
        case 0: "@\(pick([".a", ".*", "[0]", "..id", ""]))"
        case 1: "!@\(pick([".a", ".b", "[0]"]))"
        case 2: "(\(condition())||\(condition()))&&\(condition())"
        case 3:
            pick(["length(@) > 1", "count(@.*) > 1", "search(@, 'a|t')", "value(@..id) == 1", "$.a == @", "@ == $[0]"])
        default:
            "@\(pick([".a", "[0]", ""])) \(pick(["==", "!=", "<", ">="])) \(pick(["1", "1e2", "null", "'a'", "@.b"]))"
        }
    }

    /// Replaces, removes or inserts a byte.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let byte = Array("\"\\{}[]:,0-.?@$!&|=()' \u{1}".utf8).randomElement(using: &random) ?? 0
        let position = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0 where position < bytes.count: bytes[position] = byte
        case 1 where position < bytes.count: bytes.remove(at: position)
        default: bytes.insert(byte, at: position)
        }
        return bytes
    }
}
