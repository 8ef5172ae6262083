// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct CSVConverterTests {
    private static let rows: [(String, [String])] = [
        ("url\nu\n", [#"{"url":"u"}"#]), ("url\n", []),
        (
            "id,method,url,output\na,PUT,u,o\n,,v,\n",
            [#"{"id":"a","method":"PUT","output":"o","url":"u"}"#, #"{"url":"v"}"#]
        ),
        ("url,header.X-A,headers.B.c\nu,\"1, 2\",d", [#"{"headers":{"B.c":"d","X-A":"1, 2"},"url":"u"}"#]),
        (
            "url,query.a,query.0,form.b:number\nu,17,x,1.50",
            [#"{"form":{"b":1.50},"query":{"0":"x","a":"17"},"url":"u"}"#]
        ),
        (
            #"url,json.a.b,json.a.c\.d:number,json.e:boolean,json.f:json"# + "\nu,1,2,true,\"[1,{}]\"",
            [#"{"json":{"a":{"b":"1","c.d":2},"e":true,"f":[1,{}]},"url":"u"}"#]
        ),
        (
            "url,json.a.1,json.a.0.b,json.a.2\nu,x,y,z\nu,,,z",
            [#"{"json":{"a":[{"b":"y"},"x","z"]},"url":"u"}"#, #"{"json":{"a":["z"]},"url":"u"}"#]
        ),
        ("url,json\nu,\"{\"\"a\"\": 1}\"\nu,17", [#"{"json":{"a":1},"url":"u"}"#, #"{"json":17,"url":"u"}"#]),
        ("url,text\nu,17", [#"{"text":"17","url":"u"}"#]),
        (
            "url,after\nu,a b\nu,\"[\"\"a\"\",\"\"b\"\"]\"",
            [#"{"after":["a b"],"url":"u"}"#, #"{"after":["a","b"],"url":"u"}"#]
        ),
        (
            "url,expect.status,expect.type,retry.attempts,decode,timeout,idempotencyKey\nu,404,a/b,3,false,1.5,true",
            [
                #"{"decode":false,"expect":{"status":[404],"type":["a/b"]},"idempotencyKey":true,"retry":3,"timeout":1.5,"url":"u"}"#
            ]
        ),
        ("url,cache\nu,reload", [#"{"cache":"reload","url":"u"}"#]),
        (
            "url,credential.user,credential.password,security.validatesHost,resolve.h.i\nu,a,17,true,::1",
            [
                #"{"credential":{"password":"17","user":"a"},"resolve":{"h.i":"::1"},"security":{"validatesHost":true},"url":"u"}"#
            ]
        ),
        (
            "url,header.A\n${a.body.next},Bearer ${env:T}",
            [#"{"headers":{"A":"Bearer ${env:T}"},"url":"${a.body.next}"}"#]
        ),
    ]

    @Test(arguments: rows)
    func rowBecomesALine(text: String, expected: [String]) {
        for count in [1, 2, 5, .max] {
            let converted = ConvertedText(text, CSVConverter(), sliceByteCount: count)
            #expect(converted.error == nil)
            #expect(converted.texts == expected)
        }
    }

    private static let errors: [(String, Int, String)] = [
        ("", 1, "there is no header row"), ("urk\nu", 1, "unknown column \"urk\", did you mean \"url\"?"),
        ("url,header\nu,a", 1, "unknown column \"header\", did you mean \"header.\"?"),
        ("url,head.A\nu,a", 1, "unknown column \"head.A\""), ("url,json.\nu,a", 1, "unknown column \"json.\""),
        ("url,json.a..b\nu,a", 1, "unknown column \"json.a..b\""), ("url,url\nu,u", 1, "two fields have the name"),
        ("url,json.a,json.a.b\nu,1,2", 1, "the columns \"json.a\" and \"json.a.b\" set the same member"),
        ("url,headers,header.A\nu,1,2", 1, "the columns \"headers\" and \"header.A\" set the same member"),
        ("url,timeout\nu,1\n\nu,x", 4, "column \"timeout\": expected a number, found \"x\""),
        ("url,timeout\nu,true", 2, "column \"timeout\": expected a number, found \"true\""),
        ("url,json\nu,\"{\"\"a\"\":1,\"\"a\"\":2}\"", 2, "column \"json\": expected JSON"),
        ("url,decode\nu,yes", 2, "column \"decode\": expected true or false, found \"yes\""),
        ("url,json\nu,{", 2, "column \"json\": expected JSON, found \"{\""),
        ("url,id\n,a", 2, "field \"url\": missing, but required"),
        ("url,timeout\nu,0", 2, "field \"timeout\": expected more than 0 seconds"),
        ("url,text,json\nu,a,1", 2, "field \"text\": a line can have only one body"),
        ("url,header.A,header.a\nu,1,2", 2, "field \"headers.a\": duplicate header"),
        ("url\n${a}", 2, "field \"url\": expected ${ID.body.PATH}"),
        ("url\n\"u", 2, "column 1: a quotation mark that is never closed"),
        ("url,id\nu", 2, "1 field, but the first row has 2"),
    ]

    @Test(arguments: errors)
    func errorNamesTheLineAndTheColumn(text: String, line: Int, message: String) {
        let error = ConvertedText(text, CSVConverter()).error
        #expect(error?.line == line)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func rowsBeforeAnErrorAreConverted() {
        let converted = ConvertedText("url\na\nb\n\"", CSVConverter())
        #expect(converted.texts == [#"{"url":"a"}"#, #"{"url":"b"}"#])
        #expect(converted.error?.line == 4)
    }

    @Test func everyFieldOfALineIsAColumn() {
        #expect(Set(RequestLine.Name.allCases.map(\.rawValue)).subtracting(CSVColumn.fields.keys) == [])
        let groups: [(String, [String])] = [
            ("expect", RequestLine.Expectation.Name.allCases.map(\.rawValue)),
            ("credential", RequestLine.Credential.Name.allCases.map(\.rawValue)),
            ("security", RequestLine.Security.Name.allCases.map(\.rawValue)),
            ("retry", RequestLine.Retry.Name.allCases.map(\.rawValue)),
        ]
        for (group, names) in groups {
            let columns = CSVColumn.fields.keys.filter { $0.hasPrefix(group + ".") }
            #expect(Set(columns) == Set(names.map { "\(group).\($0)" }))
        }
    }
}
