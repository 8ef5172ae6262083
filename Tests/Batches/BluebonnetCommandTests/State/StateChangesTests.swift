// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct StateChangesTests {
    private typealias Choice = RequestLine.Memory.Choice

    private func member(_ choice: Choice, _ responses: [[JSONValue]]) throws -> JSONValue? {
        var changes = StateChanges()
        for values in responses { changes.add([RememberedValues("a", choice, values)]) }
        return try changes.applied(to: JSONObject())["a"]
    }

    @Test(
        arguments: [
            (Choice.max, [1, 3, 2], JSONValue.integer(3)), (.min, [2, 1, 3], 1), (.last, [2, 1, 3], 3),
            (.max, ["b", "a", "c"], "c"), (.min, ["b", "a", "c"], "a"), (.max, [2, 10], 10), (.max, ["2", "10"], "2"),
            (.max, [-1, -1.5], -1), (.min, [0.5, 1, 0.25], 0.25), (.max, [nil, 1, nil], 1), (.max, ["Z", "a"], "a"),
            (.last, [1, "a", nil], nil), (.last, [[1], ["b": true]], ["b": true]),
        ] as [(RequestLine.Memory.Choice, [JSONValue], JSONValue)])
    func memberIsChosenFromAllValues(
        _ choice: RequestLine.Memory.Choice, _ values: [JSONValue], _ chosen: JSONValue
    ) throws {
        #expect(try member(choice, [values]) == chosen)
        #expect(try member(choice, values.map { [$0] }) == chosen)
    }

    /// Both numbers are the same `Double`.
    @Test func numbersAreComparedWithAllDigits() throws {
        let (low, high) = (JSONValue.integer(9_007_199_254_740_992), JSONValue.integer(9_007_199_254_740_993))
        #expect(try member(.max, [[high, low]]) == high)
        #expect(try member(.min, [[high, low]]) == low)
        let large = try #require(JSONNumber("18446744073709551617"))
        #expect(try member(.max, [[.number(large), .integer(.max)]]) == .number(large))
    }

    @Test func textsAreComparedByScalars() throws {
        #expect(try member(.max, [["\u{1F600}", "\u{FFFD}"]]) == "\u{1F600}")
        #expect(try member(.max, [["e\u{301}", "f"]]) == "f")
    }

    @Test(
        arguments: [
            (Choice.max, [1, "a"], "\"max\" cannot compare numbers with texts"),
            (.min, ["a", 1], "\"min\" cannot compare numbers with texts"),
            (.max, [true], "\"max\" needs numbers or texts, found a boolean"),
            (.min, [1, [2]], "\"min\" needs numbers or texts, found an array of 1"),
        ] as [(RequestLine.Memory.Choice, [JSONValue], String)])
    func valuesWithoutAnOrderAreRefusedByMember(
        _ choice: RequestLine.Memory.Choice, _ values: [JSONValue], _ reason: String
    ) {
        #expect(throws: CommandError.unusable("cannot remember \"a\": \(reason)")) { try member(choice, [values]) }
    }

    @Test func twoChoicesForOneMemberAreRefused() {
        var changes = StateChanges()
        changes.add([RememberedValues("a", .max, [1])])
        changes.add([RememberedValues("a", .min, [1])])
        #expect(throws: CommandError.unusable("cannot remember \"a\": lines remember it by \"max\" and by \"min\"")) {
            try changes.applied(to: JSONObject())
        }
    }

    @Test func membersWithoutValuesStay() throws {
        var changes = StateChanges()
        #expect(changes.isEmpty)
        changes.add([RememberedValues("a", .max, []), RememberedValues("b", .max, [nil])])
        #expect(changes.isEmpty)
        changes.add([RememberedValues("c", .last, [1])])
        #expect(!changes.isEmpty)
        #expect(try changes.applied(to: ["a": 5, "d": 6]) == ["a": 5, "c": 1, "d": 6])
    }

    @Test func canonicallyEquivalentNamesAreDifferentMembers() throws {
        var changes = StateChanges()
        changes.add([RememberedValues("\u{E9}", .max, [1]), RememberedValues("e\u{301}", .max, [2])])
        #expect(try changes.applied(to: JSONObject()).count == 2)
    }
}
