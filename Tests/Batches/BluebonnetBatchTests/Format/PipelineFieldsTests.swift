// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch

@Suite struct PipelineFieldsTests {
    private static func parse(_ members: String) throws -> RequestLine? {
        try RequestLineParser().parse(line: Data(#"{"url":"u",\#(members)}"#.utf8), number: 7)?.line
    }

    private static func error(_ members: String) -> String {
        do {
            _ = try parse(members)
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        #""paginate":{"next":"link"}"#,
        #""paginate":{"items":"$.data[*]","max":5,"next":{"body":"$.next"}}"#,
        #""paginate":{"next":{"header":"X-Next"}}"#,
        #""paginate":{"next":{"cursor":"$.meta.next","into":"query.cursor"}}"#,
        #""paginate":{"next":{"cursor":{"header":"X-Cursor"},"into":"json.after"}}"#,
        #""paginate":{"next":{"page":"query.page","start":0},"until":{"total":"$.total"}}"#,
        #""paginate":{"next":{"limit":50,"offset":"query.offset"},"until":"short"}"#,
        #""each":{"as":"user","items":"$.users[*]","key":"$.id","max":9,"of":"users"}"#,
        #""each":{"as":"row","file":"prices.csv","key":"sku"}"#,
        #""extract":{"a":"$.name","b":{"header":"ETag"},"c":{"status":true},"d":{"duration":true},"e":{"text":"id=(\\d+)"}}"#,
        #""extract":{"sku":"$.sku"},"rows":"$.lines[*]""#,
        #""assert":[{"equals":{"a":1},"path":"$.x"},{"header":"X","notEquals":"y"},{"lessThan":0.5,"duration":true}]"#,
        #""assert":[{"atMost":3,"status":true},{"bytes":true,"greaterThan":1},{"atLeast":"2024","path":"$.d"}]"#,
        #""assert":[{"matches":"^a","text":true},{"contains":"b","path":"$"},{"exists":false,"header":"Y"}]"#,
        #""assert":[{"isType":"integer","path":"$.n"},{"count":4,"path":"$.l[*]"}]"#,
        #""until":{"assert":[{"equals":"done","path":"$.state"}],"every":2,"max":3,"timeout":600}"#,
        #""remember":{"since":{"max":"$.items[*].updated"}}"#,
    ]) func fieldsSurviveCoding(members: String) throws {
        let line = try #require(try Self.parse(members))
        #expect(line.pipeline != nil)
        let text = try JSONValue(parsing: Data(line.canonicalText.utf8))
        #expect(text == (try JSONValue(parsing: Data(#"{"url":"u",\#(members)}"#.utf8))))
    }

    @Test(arguments: ["extract", "remember"])
    func normalFormsOfOneNameAreAnError(field: String) {
        let value = field == "extract" ? #""$.a""# : #"{"max":"$.a"}"#
        let members = #""\#(field)":{"\u00e9":\#(value),"e\u0301":\#(value)}"#
        let problem = "duplicate name, in another Unicode normal form"
        #expect(Self.error(members) == "line 7, field \"\(field).\u{E9}\": \(problem)")
    }

    @Test func everyParameterOfPagesIsRead() throws {
        let paging = try #require(
            try Self.parse(#""paginate":{"next":{"page":"query.p"},"items":"$.d[*]"}"#)?.pipeline?.paginate)
        #expect(paging.next == .page(.query("p"), start: 1) && paging.until == .empty && paging.max == 1_000)
        #expect(try paging.items == JSONPath("$.d[*]"))
    }

    @Test(arguments: [
        (#""paginate":{"next":"links"}"#, #"field "paginate.next": expected "link" or an object, found "links""#),
        (#""paginate":{}"#, #"field "paginate.next": missing, but required"#),
        (
            #""paginate":{"next":{"body":"$.a","header":"b"}}"#,
            #"field "paginate.next": expected exactly one of "body", "header", "cursor", "page", "offset" in the object"#
        ),
        (#""paginate":{"next":{"cursor":"$.a"}}"#, #"field "paginate.next.into": missing, but required"#),
        (
            #""paginate":{"next":{"page":"page"}}"#,
            #"field "paginate.next.page": expected "query.NAME" or "json.NAME", found "page""#
        ),
        (
            #""paginate":{"next":{"offset":"query.o","limit":2147483649}}"#,
            #"field "paginate.next.limit": expected an integer, 1 to 2147483648, found the number 2147483649"#
        ),
        (
            #""paginate":{"next":{"page":"query.p","limit":5}}"#,
            #"field "paginate.next.limit": only "offset" has "limit""#
        ),
        (
            #""paginate":{"next":"link","until":"empty"}"#,
            #"field "paginate.until": only pages by "page" and "offset" have "until": others end without a next one"#
        ),
        (
            #""paginate":{"next":{"page":"query.p"},"until":"short"}"#,
            #"field "paginate.until": "short" needs the "limit" of "offset""#
        ),
        (#""paginate":{"next":"link","mx":5}"#, #"field "paginate.mx": unknown field, did you mean "max"?"#),
        (#""each":{"as":"u"}"#, #"field "each": expected exactly one of "of", "file""#),
        (#""each":{"of":"a"}"#, #"field "each.as": missing, but required"#),
        (
            #""each":{"of":"a","as":"state"}"#,
            #"field "each.as": expected a name without . { } $ : and blanks, other than "state""#
        ),
        (
            #""each":{"file":"a.txt","as":"u"}"#,
            #"field "each.file": expected a name that ends in .csv, .ndjson or .jsonl, found "a.txt""#
        ),
        (
            #""each":{"file":"a.csv","as":"u","items":"$[*]"}"#,
            #"field "each.items": the elements of a file are its rows"#
        ),
        (#""rows":"$[*]""#, #"field "rows": needs "extract", which names the values of a row"#),
        (
            #""extract":{"a":{"headr":"x"}}"#, #"field "extract.a.headr": unknown field, did you mean "header"?"#
        ),
        (#""extract":{"a":{"text":"("}}"#, #"field "extract.a.text": "(" is not a regular expression"#),
        (#""assert":[]"#, #"field "assert": expected an array with at least one element, found an empty array"#),
        (
            #""assert":[{"path":"$.a","equal":1}]"#,
            #"field "assert[0].equal": unknown field, did you mean "equals"?"#
        ),
        (
            #""assert":[{"status":true,"exists":true}]"#,
            #"field "assert[0]": only "path" and "header" may be absent: "exists" does not apply"#
        ),
        (
            #""assert":[{"path":"$.a","lessThan":true}]"#,
            #"field "assert[0].lessThan": expected a number or a string, found true"#
        ),
        (
            #""until":{"assert":[{"status":true,"equals":200}],"every":1}"#,
            #"field "until": expected "timeout" (seconds) or "max" (times), else it may never end"#
        ),
        (
            #""method":"POST","until":{"assert":[{"status":true,"equals":200}],"every":1,"max":2}"#,
            #"field "until": POST is sent again and again: use GET or HEAD, or give the line an "idempotencyKey""#
        ),
        (
            #""paginate":{"next":"link"},"until":{"assert":[{"status":true,"equals":200}],"every":1,"max":2}"#,
            #"field "until": a line cannot have "paginate" and "until""#
        ),
        (
            #""cache":"reload","until":{"assert":[{"status":true,"equals":200}],"every":1,"max":2}"#,
            #"field "cache": a line cannot have "until" and "cache": each of its requests asks the server"#
        ),
        (
            #""output":"f","extract":{"a":"$.a"}"#,
            #"field "extract": needs the body in memory: a line with "output" cannot have it"#
        ),
        (
            #""output":"f","each":{"of":"x","as":"u"}"#,
            #"field "output": all elements would write one file: use ${u.…} in the path"#
        ),
        (
            #""idempotencyKey":"k","each":{"of":"x","as":"u"}"#,
            #"field "idempotencyKey": each element needs a key of its own: use ${u.…} or true"#
        ),
        (
            #""idempotencyKey":"k","method":"POST","paginate":{"next":"link"}"#,
            #"field "idempotencyKey": each page needs a key of its own: use true"#
        ),
        (
            #""text":"x","paginate":{"next":{"page":"json.p"}}"#,
            #"field "paginate": "json.p" needs a "json" object as the line's body"#
        ),
        (#""remember":{"s":{"first":"$.a"}}"#, #"field "remember.s.first": unknown field"#),
    ]) func errorNamesFieldAndRemedy(members: String, message: String) {
        #expect(Self.error(members) == "line 7, \(message)")
    }

    @Test func wrongPathNamesItsPlace() {
        let message = Self.error(#""rows":"$.a[","extract":{"a":"$.b"}"#)
        #expect(message.hasPrefix(#"line 7, field "rows": "$.a[" is not a JSONPath: "#))
        #expect(message.contains("at byte 4"))
    }
}
