// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetBatch

/// References that can never be replaced are errors before anything is sent.
@Suite struct ReferablePartsTests {
    private static let sources = [
        #"{"id":"plain","url":"u"}"#, #"{"id":"file","url":"u","output":"f","extract":{"s":{"status":true}}}"#,
        #"{"id":"values","url":"u","extract":{"name":"$.n","a.b":"$.c"}}"#,
        #"{"id":"rows","url":"u","rows":"$.r[*]","extract":{"name":"$.n"}}"#,
        #"{"id":"pages","url":"u","paginate":{"next":"link"},"extract":{"name":"$.n"}}"#,
        #"{"id":"each","url":"u/${e.id}","each":{"of":"plain","as":"e"},"extract":{"name":"$.n"}}"#,
        #"{"id":"stream","url":"u","stream":"lines","extract":{"name":"$.n"}}"#,
        #"{"id":"poll","url":"u","until":{"assert":[{"status":true,"equals":200}],"every":1,"max":2},"#
            + #""extract":{"name":"$.n"}}"#,
    ]

    private static func lines(_ last: String) throws -> [NumberedLine] {
        try RequestLineParser().parse(file: Data((sources + [last]).joined(separator: "\n").utf8))
    }

    /// The errors of a line after the sources: of a batch, and of a stream of lines.
    private static func errors(_ last: String) throws -> (batch: [RequestLineError], stream: RequestLineError?) {
        let lines = try lines(last)
        var batch: [RequestLineError] = []
        do throws(RequestLineErrors) { _ = try RequestLineGraph(lines) } catch { batch = error.errors }
        var stream: RequestLineError?
        let streamed = StreamedLines()
        for line in lines {
            do throws(RequestLineError) { _ = try streamed.add(line) } catch { stream = error }
        }
        return (batch, stream)
    }

    @Test(arguments: [
        "plain.status", "plain.headers.a", "plain.body", "plain.body.x", "file.status", "file.headers.a",
        "file.values.s", "values.body.x", "values.values.name", "values.values.name.deeper.0", #"values.values.a\\.b"#,
        "rows.values.0.name", "rows.values.17.name.x", "rows.values.3", "pages.items", "pages.pages", "pages.status",
        "pages/1.body.x", "pages/2.values.name", "pages/1.status", "stream.status", "stream.headers.a",
        "poll.values.name", "poll.body",
    ])
    func referenceThatMayBeReplacedIsAccepted(reference: String) throws {
        let errors = try Self.errors(#"{"url":"${\#(reference)}"}"#)
        #expect(errors.batch.isEmpty && errors.stream == nil, "\(errors)")
    }

    @Test(arguments: [
        ("plain.values.x", #"the line "plain" has no "extract""#),
        ("plain.items", #"the line "plain" has no "paginate""#),
        ("plain.pages", #"the line "plain" has no "paginate""#),
        ("values.values.nam", #"the line "values" extracts no "nam", did you mean "name"?"#),
        ("values.values.xyz", #"the line "values" extracts no "xyz""#),
        ("rows.values.name", #"the line "rows" has "rows": write the index of a row"#),
        ("rows.values.0.nam", #"the line "rows" extracts no "nam", did you mean "name"?"#),
        ("file.body", #"the line "file" has "output", which keeps no body in memory"#),
        ("pages.body.x", #"the line "pages" has "paginate"; a page has a body: ${pages/1.body}"#),
        ("pages.values.name", #"the line "pages" has "paginate"; a page has values: ${pages/1.values.NAME}"#),
        ("pages/1.items", "a page has no counts"), ("each.status", #"the line "each" has "each""#),
        ("each.values.name", #"the line "each" has "each""#), ("stream.body", #"the line "stream" has "stream""#),
        ("stream.items", #"the line "stream" has "stream", and only its result line has the number of items"#),
        ("stream.values.name", #"the line "stream" has "stream", and only the result lines of its items have values"#),
    ])
    func referenceThatCannotBeReplacedIsRefused(reference: String, reason: String) throws {
        let errors = try Self.errors(#"{"url":"u","headers":{"A":"${\#(reference)}"}}"#)
        #expect(errors.batch.count == 1 && errors.batch.first == errors.stream)
        let error = try #require(errors.stream)
        #expect(error.line == Self.sources.count + 1 && error.field == "headers.A")
        #expect(error.message.hasPrefix("${\(reference)} can never be replaced: \(reason)"), "\(error)")
    }

    @Test(arguments: [("stream", "stream"), ("file", "output")])
    func lineWithoutABodyHasNoElements(id: String, field: String) throws {
        let errors = try Self.errors(#"{"url":"u","each":{"of":"\#(id)","as":"x"}}"#)
        let expected = RequestLineError(
            line: Self.sources.count + 1, field: "each.of",
            message: "the line \"\(id)\" has \"\(field)\", and keeps no body in memory for elements")
        #expect(errors.batch == [expected] && errors.stream == expected)
    }

    @Test(arguments: ["plain", "values", "rows", "pages", "each", "poll"])
    func lineWithABodyHasElements(id: String) throws {
        let errors = try Self.errors(#"{"url":"u","each":{"of":"\#(id)","as":"x"}}"#)
        #expect(errors.batch.isEmpty && errors.stream == nil, "\(errors)")
    }
}
