// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetFleet

/// Conditions on results, without a store.
@Suite struct ResultConditionTests {
    private static let line = #"""
        {"id":"user/7","outcome":"failure","status":503,"url":"https://a.example/users/7","bytes":12,"attempts":3,
        "headers":{"retry-after":"5"},"error":{"code":"unacceptableStatus","message":"status 503 is not accepted"},
        "timing":{"total":1.25}}
        """#

    private static func holds(_ condition: String, _ line: String = line) throws -> Bool {
        try ResultCondition(condition)
            .holds(for: StoredResult(position: 0, line: Data(line.utf8), origin: "https://a.example"))
    }

    @Test(arguments: [
        ("@.status == 503", true), ("@.status >= 500 && @.status < 600", true), ("@.status == '503'", false),
        ("@.code == 'unacceptableStatus'", true), ("@.code == \"timedOut\"", false),
        ("@.code == 'timedOut' || @.attempts > 2", true), ("!(@.attempts > 2)", false),
        ("search(@.message, 'not accepted$')", true), ("match(@.id, 'user/[0-9]+')", true),
        ("match(@.id, 'user')", false), ("@.origin == 'https://a.example'", true),
        ("@.timing.total > 1.2", true), ("@.headers['retry-after'] == '5'", true), ("@.error.underlying", false),
        ("@.error.code", true), ("@.cache == 'hit'", false), ("$[0].status == 503", true),
    ])
    func conditionIsAFilterOfJSONPath(text: String, holds: Bool) throws {
        #expect(try Self.holds(text) == holds)
    }

    @Test func resultWithoutErrorHasNoCode() throws {
        let line = #"{"id":"a","outcome":"success","code":"x"}"#
        #expect(try !Self.holds("@.code", line))
        #expect(try Self.holds("@.outcome == 'success'", line))
        #expect(try !Self.holds("@.id == 'a'", "no JSON"))
    }

    @Test(arguments: [("", 0), ("status == 503", 0), ("@.status = 503", 9), ("@.status ==", 11), ("@.a == 'b", 7)])
    func mistakeNamesItsPlace(text: String, offset: Int) {
        let error = #expect(throws: ResultCondition.ParseError.self) { try ResultCondition(text) }
        #expect(error?.message.hasSuffix(" at byte \(offset)") == true, "\(text): \(error?.message ?? "")")
    }

    @Test func codesAndConditionsAreCombined() throws {
        let codes = try ResultCondition(codes: ["timedOut", "unacceptableStatus"])
        let result = StoredResult(position: 0, line: Data(Self.line.utf8), origin: "")
        #expect(try codes.holds(for: result))
        #expect(try codes.and(ResultCondition("@.status == 503 || @.status == 504")).holds(for: result))
        #expect(try !codes.and(ResultCondition("@.status == 504")).holds(for: result))
        for code in ["", "a b", "x' || '1'=='1", "é"] {
            #expect(throws: ResultCondition.ParseError.self) { try ResultCondition(codes: [code]) }
        }
    }
}
