// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct ResultLineTests {
    /// The example line of the format's description, with the test's own digest and body.
    private static var example: ResultLine {
        var line = ResultLine(id: "me", outcome: .success)
        line.status = 200
        line.url = "https://api.example.com/me"
        line.bytes = 512
        line.sha256 = "9f86"
        line.headers = ["Content-Type": "application/json"]
        line.body = "{}"
        line.attempts = 1
        line.protocol = "h2"
        line.reused = true
        var timing = ResultLine.Timing()
        (timing.queued, timing.firstByte, timing.total) = (0.001, 0.012, 0.013)
        line.timing = timing
        return line
    }

    private func text(_ line: ResultLine) -> String {
        String(decoding: line.encodedLine(), as: UTF8.self)
    }

    private func object(_ line: ResultLine) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: line.encodedLine()) as? [String: Any])
    }

    @Test func exampleOfTheFormatIsWritten() {
        let expected = #"""
            {"id":"me","outcome":"success","status":200,"url":"https://api.example.com/me","bytes":512,\#
            "sha256":"9f86","headers":{"content-type":"application/json"},"body":"{}","attempts":1,\#
            "redirects":0,"protocol":"h2","reused":true,\#
            "timing":{"queued":0.001,"dns":0.0,"connect":0.0,"tls":0.0,"firstByte":0.012,"total":0.013}}

            """#
        #expect(text(Self.example) == expected)
    }

    @Test func missingMembersAreLeftOutAndTheErrorComesLast() {
        var line = ResultLine(id: "7", outcome: .skipped)
        line.error = .init(code: .dependencyFailed, message: "login failed")
        let expected = #"""
            {"id":"7","outcome":"skipped","attempts":0,"redirects":0,"reused":false,\#
            "error":{"code":"dependencyFailed","message":"login failed"}}

            """#
        #expect(text(line) == expected)
    }

    @Test func errorIncludesTheUnderlyingError() throws {
        let underlying = LibraryError(library: "libcurl", code: 7, text: "Couldn't connect to server")
        let error = NetworkingError(.cannotConnect, "nothing listens on h:1", underlying: underlying)
        var line = ResultLine(id: "a", outcome: .failure)
        line.error = .init(error)
        let written = #""error":{"code":"cannotConnect","message":"nothing listens on h:1","#
        #expect(text(line).hasSuffix(written + #""underlying":"libcurl 7: Couldn't connect to server"}}"# + "\n"))
        #expect(ResultLine.Failure(NetworkingError(.cancelled, "m")).underlying == nil)
    }

    @Test(arguments: [ResultLine.Outcome.success, .failure, .cancelled, .skipped])
    func outcomesHaveTheirNames(_ outcome: ResultLine.Outcome) throws {
        #expect(try object(ResultLine(id: "a", outcome: outcome))["outcome"] as? String == "\(outcome)")
    }

    @Test func headersAreWrittenInOrderOfArrival() {
        var line = ResultLine(id: "a", outcome: .success)
        line.headers = ["Z": "1", "Set-Cookie": "a=1, x", "A": "2", "z": "3", "set-cookie": "b=2"]
        #expect(text(line).contains(#""headers":{"z":"1, 3","set-cookie":["a=1, x","b=2"],"a":"2"},"#))
        line.headers = []
        #expect(text(line).contains(#""headers":{},"#))
    }

    @Test func anyBodyIsWrittenAsOneLine() throws {
        var line = Self.example
        line.body = String(String.UnicodeScalarView((0..<0x3000).compactMap { Unicode.Scalar($0) })) + "🙂\u{10FFFF}"
        line.id = "a\"\\\n"
        let data = line.encodedLine()
        #expect(data.filter { $0 < 0x20 } == Data([0x0A]))
        let object = try object(line)
        #expect((object["body"] as? String).map { Array($0.utf8) } == line.body.map { Array($0.utf8) })
        #expect(object["id"] as? String == line.id)
    }

    @Test func writtenLineDecodesToAnEqualValue() throws {
        var line = Self.example
        line.headers = ["A": "b", "Set-Cookie": "x", "C": "d", "set-cookie": "y"]
        line.error = .init(code: .timedOut, message: "m", underlying: "u")
        #expect(try JSONDecoder().decode(ResultLine.self, from: line.encodedLine()) == line)
        #expect(try JSONDecoder().decode(ResultLine.self, from: JSONEncoder().encode(line)) == line)
        let bare = ResultLine(id: "a", outcome: .cancelled)
        #expect(try JSONDecoder().decode(ResultLine.self, from: bare.encodedLine()) == bare)
    }

    @Test func codableWritesTheSameMembers() throws {
        let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Self.example)) as? NSDictionary
        #expect(written == NSDictionary(dictionary: try object(Self.example)))
    }
}
