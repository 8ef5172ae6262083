// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// JSON text, in UTF-8, UTF-16 or UTF-32.
    static let json = FuzzTarget("json") { input in
        let data = Data(input.rest)
        let parsed = Result { () throws(JSONSyntaxError) in
            try data.withUnsafeBytes { text in
                Result { () throws(JSONSyntaxError) in try JSONParser.parse(text) }
            }.get()
        }
        try checkVerdict(data, parsed.map { $0.value })
        if let value = try? JSONValue(parsing: data) {
            try checkWritten(value)
            try checkLayout(value)
        }
        guard case .success(let found) = parsed else { return }
        try checkBesideFoundation(data, found.value, hasRepeatedName: found.hasRepeatedName)
    }

    /// Checking and parsing give the same verdict.
    private static func checkVerdict(_ data: Data, _ parsed: Result<JSONValue, JSONSyntaxError>) throws {
        let checked = data.withUnsafeBytes { text in
            Result { () throws(JSONSyntaxError) in try JSONParser.check(text) }
        }
        switch (checked, parsed) {
        case (.success, .success): return
        case (.failure(let one), .failure(let other)):
            try holdSame(one, other, "checking and parsing refuse for the same reason")
            try hold((0...data.count).contains(one.offset), "the fault at \(one.offset) lies inside of the text")
        default: throw FuzzFinding("checking and parsing disagree on \(Array(data))")
        }
    }

    private static func checkWritten(_ value: JSONValue) throws {
        let text = JSONText.text(of: value)
        let again = try JSONValue(parsing: Data(text.utf8))
        try holdSame(again, value, "the value stays when it is written")
        try holdSame(JSONText.text(of: again), text, "the text stays when it is read and written")
        let data = try text.data(using: .utf16LittleEndian).map { try JSONValue(parsing: $0) }
        try hold(data == again || text.utf8.count < 2, "the value stays in UTF-16: \(text)")
    }

    private static func checkLayout(_ value: JSONValue) throws {
        let compact = Data(JSONText.text(of: value).utf8)
        for (isPretty, escapes) in [(true, false), (false, true), (true, true)] {
            let text = JSONLayout.text(compact, isPretty: isPretty, escapesSlashes: escapes)
            try holdSame(try JSONValue(parsing: text), value, "the value stays in another layout")
        }
        let cleaned = value.removingNulls()
        try holdSame(cleaned.removingNulls(), cleaned, "nulls are removed at once")
    }

    /// Foundation accepts every accepted text and reads the same strings and numbers.
    private static func checkBesideFoundation(_ data: Data, _ value: JSONValue, hasRepeatedName: Bool) throws {
        let options = JSONSerialization.ReadingOptions.fragmentsAllowed
        // Foundation drops a byte order mark after an escape.
        guard !hasRepeatedName, canBeFoundations(value, depth: 0), data.range(of: Data([0xEF, 0xBB, 0xBF])) == nil
        else { return }
        guard let object = try? JSONSerialization.jsonObject(with: data, options: options) else {
            throw FuzzFinding("Foundation refuses what is taken: \(String(decoding: data, as: UTF8.self))")
        }
        try hold(isSame(object, value), "\(value) is \(object) for Foundation")
    }

    /// Whether Foundation can represent the value. Foundation has no deep nesting, no number beyond `Double`, and
    /// keeps only one of two canonically equivalent names.
    private static func canBeFoundations(_ value: JSONValue, depth: Int) -> Bool {
        guard depth < 100 else { return false }
        return switch value {
        case .array(let elements): elements.allSatisfy { canBeFoundations($0, depth: depth + 1) }
        case .object(let members):
            Set(members.map(\.key)).count == members.count
                && members.allSatisfy { canBeFoundations($0.value, depth: depth + 1) }
        case .number(let number): number.double.isFinite
        case .null, .bool, .integer, .string: true
        }
    }

    private static func isSame(_ object: Any, _ value: JSONValue) -> Bool {
        switch value {
        case .null: object is NSNull
        case .bool(let truth): object as? Bool == truth
        case .string(let text): (object as? String).map { FieldSyntax.isSameText($0, text) } ?? false
        case .integer(let number): (object as? NSNumber)?.int64Value == number
        // Foundation reads some numbers with a decimal type, which rounds the last digits.
        case .number(let number):
            (object as? NSNumber).map { abs($0.doubleValue - number.double) <= abs(number.double) * 1e-12 } ?? false
        case .array(let elements):
            (object as? [Any]).map { $0.count == elements.count && zip($0, elements).allSatisfy(isSame) } ?? false
        case .object(let members):
            (object as? [String: Any]).map { object in
                object.count == members.count
                    && members.allSatisfy { name, member in object[name].map { isSame($0, member) } ?? false }
            } ?? false
        }
    }
}
