// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import TestSupport
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// Lines without fields that curl lacks are equal after the way to curl and back.
@Suite struct CurlRoundTripTests {
    private func lineAfterCurl(_ line: RequestLine) -> String? {
        let commands = ConvertedText(line.escapingReferences().canonicalText, CurlWriter())
        #expect(commands.error == nil && commands.texts.allSatisfy { !$0.hasPrefix("#") }, "\(commands.texts)")
        let lines = ConvertedText(commands.texts.joined(separator: "\n"), CurlConverter())
        #expect(lines.error == nil && lines.warnings.isEmpty, "\(commands.texts)")
        return lines.texts.count == 1 ? lines.texts.first : nil
    }

    @Test func randomLinesStayEqual() {
        var random = LineGenerator(seed: 7230)
        for _ in 0..<2_000 {
            let line = random.line()
            #expect(lineAfterCurl(line) == line.escapingReferences().canonicalText)
        }
    }

    @Test func everyFieldOfCurlStaysEqual() {
        var line = RequestLine(method: "PATCH", url: "https://u:p@[::1]:8443/a%20b/;c?d={e}#f")
        line.headers = ["X-Name": "it's $HOME `x` \"y\" \\ !", "Accept-Encoding": "gzip"]
        line.query = ["a b": "c&d=é", "e": "", "f": .null]
        line.body = .json(["n": 1.50, "s": "${x} $${y} '\n\\"])
        (line.timeout, line.connectTimeout, line.idleTimeout) = (0.25, 3, 40)
        (line.maxBody, line.redirects, line.output) = (7, 0, "~/a b/'c'")
        line.credential = .init(user: "ada", password: "p:'\"")
        var security = RequestLine.Security()
        (security.ca, security.clientCertificate, security.clientKey) = ("a b", "c:\\d", "e")
        (security.allowInvalidCertificates, security.validatesHost) = (true, false)
        line.security = security
        (line.proxy, line.httpVersion, line.unixSocket) = ("http://p:1", .http2, "/run/a b")
        line.resolve = ["h": "127.0.0.1"]
        line.retry = .init(attempts: 3, maxTime: 60)
        #expect(lineAfterCurl(line) == line.escapingReferences().canonicalText)
    }
}

/// Random request lines that curl can send.
private struct LineGenerator {
    private static let pieces = [
        "a", "B7", " ", "'", "\"", "\\", "$", "${x}", "`", "!", "#", ";", "&", "|", "*", "?", "~", "=", "@", "é", "😀",
        "%41", "+", ":", ",", "<", "{", "]", "^",
    ]

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// Text that begins and ends with a letter: header fields are trimmed, and `@` and `<` may begin files.
    private mutating func text() -> String {
        "x" + (0..<number(6)).map { _ in Self.pieces[number(Self.pieces.count)] }.joined() + "y"
    }

    private mutating func members() -> JSONObject {
        var members = JSONObject()
        for _ in 0...number(3) { members[text()] = .string(text()) }
        return members
    }

    private mutating func body() -> RequestLine.Body? {
        switch number(6) {
        case 0: .json(.object(members()))
        case 1: .form(members())
        case 2: .text(text() + "\n" + text())
        case 3: .file(text())
        case 4:
            .multipart([
                .init(name: "n\(number(9))", content: .value(text())),
                .init(
                    name: "f",
                    content: .file(path: text(), filename: number(2) == 0 ? text() : nil, contentType: "a/b; c=d")),
            ])
        default: nil
        }
    }

    mutating func line() -> RequestLine {
        var line = RequestLine(
            method: ["GET", "HEAD", "POST", "PUT", "purge"][number(5)], url: "http://h:81/\(number(99))")
        line.body = body()
        if line.method == "HEAD" { line.body = nil }
        if number(2) == 0 { line.query = members() }
        for name in ["X-A", "Accept", "Referer"] where number(2) == 0 { line.headers.add(name: name, value: text()) }
        if number(2) == 0 { line.output = text() }
        line.redirects = [0, 5, 20][number(3)]
        if number(3) == 0 { line.timeout = Double(number(100) + 1) / 8 }
        if number(3) == 0 { line.retry = .init(attempts: number(5) + 1) }
        if number(3) == 0 { line.credential = .init(user: "u" + text().replacing(":", with: ""), password: text()) }
        return line
    }
}
