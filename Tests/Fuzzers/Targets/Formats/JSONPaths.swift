// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// A JSONPath, followed by the JSON text in which it selects values.
    static let jsonPaths = FuzzTarget("json-paths") { input in
        var input = input
        let text = input.text()
        let path: JSONPath
        do throws(JSONPathError) {
            path = try JSONPath(text)
        } catch {
            try hold((0...text.utf8.count).contains(error.offset), "the error at \(error.offset) is in the path")
            try hold(!error.reason.isEmpty && !error.reason.hasSuffix("."), "\(error.reason) has no full stop")
            return
        }
        try holdSame(try JSONPath(path.description), path, "\(path) keeps its text")
        do {
            try Array(input.rest).withUnsafeBytes { try checkSelected(path, in: $0) }
        } catch is JSONPathLimitError {
            return
        }
    }

    /// The most steps for one input: a fraction of a second.
    private static let stepLimit = 200_000

    private static func checkSelected(_ path: JSONPath, in text: UnsafeRawBufferPointer) throws {
        let parsed: (value: JSONValue, hasRepeatedName: Bool)
        do throws(JSONSyntaxError) {
            parsed = try JSONParser.parse(text)
        } catch {
            return try checkRefused(path, in: text, error)
        }
        let values = try path.values(in: parsed.value, stepLimit: stepLimit)
        try holdSame(try path.values(inText: text, stepLimit: stepLimit), values, "\(path) selects the same in text")
        try hold(!path.isSingular || values.count <= 1, "\(path) selects at most one value")
        try checkNodes(path, in: parsed.value, values)
        try checkRanges(path, in: text, values, hasRepeatedName: parsed.hasRepeatedName)
    }

    private static func checkRefused(
        _ path: JSONPath, in text: UnsafeRawBufferPointer, _ expected: JSONSyntaxError
    ) throws {
        do {
            let values = try path.values(inText: text, stepLimit: stepLimit)
            throw FuzzFinding("\(path) selects \(values) in text that is not JSON")
        } catch let error as JSONSyntaxError {
            try holdSame(error, expected, "\(path) refuses text for the parser's reason")
        }
    }

    private static func checkNodes(_ path: JSONPath, in root: JSONValue, _ values: [JSONValue]) throws {
        let nodes = try path.nodes(in: root, stepLimit: stepLimit)
        try holdSame(nodes.map(\.value), values, "\(path) selects the same with places")
        for node in nodes.prefix(10) {
            let normalized = try JSONPath(node.path)
            try holdSame(try normalized.nodes(in: root), [node], "\(normalized) selects its value only")
        }
    }

    private static func checkRanges(
        _ path: JSONPath, in text: UnsafeRawBufferPointer, _ values: [JSONValue], hasRepeatedName: Bool
    ) throws {
        guard path.hasRanges else { return }
        var found: [JSONValue] = []
        do {
            try path.forEachRange(inText: text, stepLimit: stepLimit) { range in
                found.append(try JSONParser.value(of: UnsafeRawBufferPointer(rebasing: text[range])))
                return true
            }
            try holdSame(found, values, "\(path) selects ranges of the same values")
        } catch is JSONPathRepeatedMember {
            try hold(hasRepeatedName, "\(path) reports a repeated member in text without one")
        }
    }
}
