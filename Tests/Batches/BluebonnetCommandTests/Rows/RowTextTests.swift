// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct RowTextTests {
    @Test(arguments: [
        ("a.csv", RowForm.csv), ("b/c.NDJSON", .ndjson), ("a.b.sqlite", .sqlite), ("a.txt", nil), ("csv", nil),
        (".csv", nil), ("a.csv/", nil), ("a.csv/b", nil), ("a.sqlite3", nil), ("", nil),
    ])
    func endingNamesTheForm(_ path: String, _ form: RowForm?) { #expect(RowForm(path: path) == form) }

    @Test func objectIsOneRowAndArrayHasItsObjects() {
        let one = ResultFacts.sample("a", .success, values: ["n": 1])
        #expect(one.rows == [ValueRow(id: "a", values: ["n": 1])])
        let two = ResultFacts.sample("a", .success, values: [["n": 1], ["n": 2]])
        #expect(two.rows.map { $0.values["n"] } == [1, 2])
        #expect(ResultFacts.sample("a", .success, values: []).rows.isEmpty)
        #expect(ResultFacts.sample("a", .success).rows.isEmpty)
    }

    @Test(arguments: [ResultLine.Outcome.failure, .cancelled, .skipped, .unknown])
    func onlySuccessHasRows(_ outcome: ResultLine.Outcome) {
        #expect(ResultFacts.sample("a", outcome, values: ["n": 1]).rows.isEmpty)
    }

    @Test(
        arguments: [
            (.null, ""), ("text", "text"), ("", ""), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""),
            (7, "7"),
            (.number(JSONNumber(checked: "1.10")), "1.10"), (true, "true"), ([1, "a"], "\"[1,\"\"a\"\"]\""),
            (["b": nil], "\"{\"\"b\"\":null}\""),
        ] as [(JSONValue, String)])
    func csvFieldIsTextOrJSON(_ value: JSONValue, _ field: String) {
        #expect(RowText.csv(ValueRow(id: "i", values: ["n": value]), ["n"]) == "i,\(field)\r\n")
    }

    @Test func csvRowHasAFieldForEveryName() {
        #expect(RowText.csvHeader(["a", "b c"]) == "id,a,b c\r\n")
        #expect(RowText.csv(ValueRow(id: "x,y", values: ["c": 3]), ["a", "c"]) == "\"x,y\",,3\r\n")
        #expect(RowText.csv(ValueRow(id: "", values: [:]), []) == "\"\"\r\n")
    }

    @Test func ndjsonHasTheIDFirst() {
        let row = ValueRow(id: "z\n", values: ["a": nil, "b": [1.50], "A": "é"])
        #expect(RowText.ndjson(row) == #"{"id":"z\n","A":"é","a":null,"b":[1.5]}"# + "\n")
    }
}
