// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct HARConverterTests {
    /// A file with entries that have the same members in each request.
    private func file(_ requests: [String], times: [String]? = nil, rest: String = "") -> String {
        let entries = requests.enumerated().map { index, request in
            let time = times?[index] ?? "2024-01-01T00:00:00Z"
            return #"{"startedDateTime":"\#(time)","request":\#(request)\#(rest)}"#
        }
        let pages = #""pages":[{"id":"p"},{"id":"q"}]"#
        return #"{"log":{"version":"1.2",\#(pages),"entries":["# + "\n" + entries.joined(separator: ",\n") + "\n]}}"
    }

    private func convert(_ members: String, rest: String = "") -> ConvertedText {
        ConvertedText(file([#"{"method":"POST","url":"https://h/a"\#(members)}"#], rest: rest), HARConverter())
    }

    /// The members of the line for a request, without method and URL.
    private func members(_ request: String, rest: String = "") -> String? {
        let converted = convert(request, rest: rest)
        #expect(converted.error == nil && converted.warnings.isEmpty)
        return converted.texts.first?.replacing(#""method":"POST","#, with: "").replacing(
            #""url":"https://h/a"}"#, with: "}"
        )
        .replacing(",}", with: "}")
    }

    private static let formType = #"{"name":"Content-Type","value":"application/x-www-form-urlencoded"}"#

    private static let requests: [(String, String)] = [
        ("", "{}"), (#","headers":[],"bodySize":0,"cookies":[{"name":"a","value":"b"}]"#, "{}"),
        (
            #","headers":[{"name":":authority","value":"h"},{"name":"Host","value":"h"},{"name":"content-length","value":"3"},{"name":"Connection","value":"close"},{"name":"accept-encoding","value":"br"},{"name":"Accept","value":"a/b"}]"#,
            #"{"headers":{"Accept":"a/b"}}"#
        ),
        (
            #","headers":[{"name":"cookie","value":"a=1"},{"name":"Cookie","value":"b=2"},{"name":"X","value":"1"},{"name":"x","value":"2"}]"#,
            #"{"headers":{"X":"1, 2","cookie":"a=1; b=2"}}"#
        ),
        (#","postData":{"mimeType":"application/json","text":"{\"a\": \"${b}\"}"}"#, #"{"json":{"a":"$${b}"}}"#),
        (
            #","headers":[{"name":"content-type","value":"application/json; charset=utf-8"}],"postData":{"mimeType":"","text":"{}"}"#,
            #"{"headers":{"content-type":"application/json; charset=utf-8"},"text":"{}"}"#
        ),
        (
            #","headers":[\#(formType)],"postData":{"mimeType":"x","text":"a=b+c","params":[{"name":"a","value":"b c"}]}"#,
            #"{"form":{"a":"b c"}}"#
        ),
        (
            #","headers":[\#(formType)],"postData":{"mimeType":"x","params":[{"name":"a","value":"b c"}]}"#,
            #"{"form":{"a":"b c"}}"#
        ),
        (
            #","postData":{"mimeType":"text/xml","text":"<a/>"}"#,
            #"{"headers":{"Content-Type":"text/xml"},"text":"<a/>"}"#
        ),
        (
            #","headers":[{"name":"Content-Type","value":"multipart/form-data; boundary=x"}],"postData":{"mimeType":"multipart/form-data","params":[{"name":"a","value":"b"},{"name":"a","value":"c"}]}"#,
            #"{"multipart":[{"name":"a","value":"b"},{"name":"a","value":"c"}]}"#
        ),
        (
            #","postData":{"mimeType":"multipart/form-data; boundary=x","text":"--x--","params":[{"name":"a","value":"b"}]}"#,
            #"{"headers":{"Content-Type":"multipart/form-data; boundary=x"},"text":"--x--"}"#
        ),
    ]

    @Test(arguments: requests)
    func requestBecomesItsFields(request: String, expected: String) {
        #expect(members(request) == expected)
    }

    @Test(arguments: [(302, true), (307, true), (304, false), (200, false), (404, false)])
    func redirectWithItsOwnEntryIsNotFollowed(status: Int, isOff: Bool) {
        #expect(members("", rest: #","response":{"status":\#(status)}"#) == (isOff ? #"{"redirects":0}"# : "{}"))
    }

    @Test func entriesAreInTheOrderOfTheirTimes() {
        let times = [
            "2024-03-01T00:00:00.000Z", "2024-02-29T23:59:59.9Z", "2024-03-01T01:00:00+02:00", "2024-03-01T00:00:00Z",
        ]
        let requests = (1...4).map { #"{"method":"GET","url":"http://h/\#($0)"}"# }
        let converted = ConvertedText(file(requests, times: times), HARConverter(), sliceByteCount: 100)
        #expect(converted.texts == [3, 2, 1, 4].map { #"{"url":"http://h/\#($0)"}"# })
    }

    private static let missingParts: [(String, String)] = [
        (
            #","headers":[{"name":"Authorization","value":"REDACTED"}]"#,
            "entry 1: the header field Authorization is REDACTED, and left out"
        ),
        (#","bodySize":17"#, "entry 1: the body of 17 bytes is not in the file, and left out"),
    ]

    @Test(arguments: missingParts)
    func missingPartIsAWarning(request: String, message: String) {
        let converted = convert(request)
        #expect(converted.texts == [#"{"method":"POST","url":"https://h/a"}"#])
        #expect(converted.warnings == [ConversionError(line: 2, message)])
    }

    @Test func otherSchemesAreLeftOutWithAWarning() {
        let requests = ["data:,x", "http://h/", "wss://h/"].map { #"{"method":"GET","url":"\#($0)"}"# }
        let converted = ConvertedText(file(requests), HARConverter())
        #expect(converted.error == nil && converted.texts == [#"{"url":"http://h/"}"#])
        #expect(converted.warnings.map(\.line) == [2, 4])
    }

    private static let badFiles: [(String, Int, String)] = [
        ("{", 1, "malformed JSON"), ("{\n\"log\":\n]", 3, "malformed JSON"), ("[]", 1, "not a HAR file"),
        (#"{"log":{"entries":{}}}"#, 1, "not a HAR file"),
        (#"{"log":{"entries":["# + "\n\n" + #"{"a":{}}]}}"#, 3, "entry 1: started"),
        ("", 1, "malformed JSON"),
    ]

    @Test(arguments: badFiles)
    func badFileIsAnErrorWithItsLine(text: String, line: Int, message: String) {
        let error = ConvertedText(text, HARConverter()).error
        #expect(error?.line == line)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    private static let badEntries: [(String, String)] = [
        (#"{"method":"GET"}"#, "there is no request with a method and a URL"),
        (#"{"method":"A B","url":"http://h/"}"#, "the method \"A B\" is not a valid token"),
        (#"{"method":"GET","url":"http://a b/"}"#, "the URL"),
        (#"{"method":"GET","url":"http://h/","headers":[{"name":"A"}]}"#, "a header field has no name or no value"),
        (
            #"{"method":"GET","url":"http://h/","headers":[{"name":"A","value":"\n"}]}"#,
            "the value of header A contains"
        ),
        (
            #"{"method":"GET","url":"http://h/","postData":{"mimeType":"multipart/form-data","params":[{"name":"f","fileName":"g"}]}}"#,
            "the part \"f\" is a file, whose path is not in the file"
        ),
        (
            #"{"method":"GET","url":"http://h/","postData":{"mimeType":"x","params":[{"name":"f"},{"name":"f"}]}}"#,
            "two items of the form have the name \"f\""
        ),
    ]

    @Test(arguments: badEntries)
    func badEntryIsAnErrorWithItsLineAndNumber(request: String, message: String) {
        let first = #"{"method":"GET","url":"http://h/"}"#
        let converted = ConvertedText(file([first, request]), HARConverter())
        #expect(converted.texts.count == 1)
        #expect(converted.error?.line == 3)
        #expect(converted.error?.message.hasPrefix("entry 2: " + message) == true, "\(converted.error?.message ?? "")")
    }

    @Test func ownFileIsConvertedBack() throws {
        var exporter = HARExporter()
        let text = exporter.file(EventScript.mixed.events)
        let entries = try #require(try JSONValue(parsing: text)["log"]?["entries"]?.array)
        let converted = ConvertedText(text, HARConverter())
        #expect(converted.error == nil && converted.texts.count == entries.count)
        let urls = try converted.texts.map { try JSONValue(parsing: Data($0.utf8))["url"] }
        let sorted = entries.sorted { ($0["startedDateTime"]?.string ?? "") < ($1["startedDateTime"]?.string ?? "") }
        #expect(urls == sorted.map { $0["request"]?["url"] })
        #expect(
            converted.warnings.allSatisfy { $0.message.contains("REDACTED") || $0.message.contains("not in the file") })
    }

    private static let times: [(String, Double)] = [
        ("1970-01-01T00:00:00Z", 0), ("2024-02-29T12:00:00.250Z", 1_709_208_000.25),
        ("2024-02-29T14:30:00+02:30", 1_709_208_000), ("1969-12-31T19:00:00-05:00", 0),
        ("2000-03-01T00:00:00.5+0000", 951_868_800.5),
    ]

    @Test(arguments: times)
    func timeIsReadInItsZone(text: String, seconds: Double) {
        #expect(HARDate.seconds(text) == seconds)
    }

    private static let otherTexts: [String] = [
        "", "2024-01-01", "2024-13-01T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:61:00Z",
        "x2024-01-01T00:00:00Z",
    ]

    @Test(arguments: otherTexts)
    func otherTextIsNoTime(text: String) {
        #expect(HARDate.seconds(text) == nil)
    }
}
