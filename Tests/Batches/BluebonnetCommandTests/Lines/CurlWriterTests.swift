// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct CurlWriterTests {
    /// The words of the command for a line, without the words that each command has.
    private func command(_ members: String) -> String {
        let converted = ConvertedText(#"{"url":"http://h/x"\#(members)}"#, CurlWriter())
        #expect(converted.error == nil && converted.texts.count == 1)
        return converted.texts.first?.replacing(" --compressed", with: "")
            .replacing(" --location --max-redirs 20", with: "").replacing("curl ", with: "")
            .replacing(" http://h/x", with: "").replacing("http://h/x", with: "") ?? ""
    }

    @Test func plainLineFollowsRedirectsAndDecodes() {
        let converted = ConvertedText(#"{"url":"http://h/?a=b&c"}"#, CurlWriter())
        #expect(converted.texts == ["curl --compressed --location --max-redirs 20 'http://h/?a=b&c'"])
    }

    private static let fields: [(String, String)] = [
        ("", ""), (#","method":"PURGE""#, "--request PURGE"), (#","method":"HEAD""#, "--head"),
        (#","headers":{"A":"it's","B":""}"#, #"--header 'A: it'\''s' --header 'B;'"#),
        (#","idempotencyKey":"k""#, "--header 'Idempotency-Key: k'"),
        (#","query":{"a":["1"],"b":"x y"}"#, "--get --data-raw 'a%5B%5D=1&b=x%20y'"),
        (#","query":{"a":"1"},"form":{}"#, "--url-query '+a=1' --data-raw '' --request GET"),
        (
            #","method":"POST","json":{"a":[1,"$${b}"]}"#,
            #"--header 'Content-Type: application/json' --data-raw '{"a":[1,"${b}"]}'"#
        ),
        (#","json":1"#, "--header 'Content-Type: application/json' --data-raw 1 --request GET"),
        (
            #","method":"PUT","text":"a\nb""#,
            "--header 'Content-Type: text/plain; charset=utf-8' --data-raw 'a\nb' --request PUT"
        ),
        (
            #","method":"POST","text":"@a","headers":{"Content-Type":"a/b"}"#,
            "--header 'Content-Type: a/b' --data-raw @a"
        ),
        (#","method":"POST","form":{"b":2,"a":"@"}"#, "--data-raw 'a=%40&b=2'"),
        (#","method":"PUT","file":"a b""#, "--upload-file 'a b'"),
        (#","method":"POST","file":"-""#, "--upload-file ./- --request POST"),
        (
            #","method":"POST","multipart":[{"name":"a","value":"@b;c"},{"name":"d","file":"e\"f","filename":"g\\","contentType":"h/i"}]"#,
            #"--form-string 'a=@b;c' --form 'd=@"e\"f";filename="g\\";type=h/i'"#
        ),
        (#","output":"a b""#, "--output 'a b'"),
        (#","output":"d/""#, "--remote-name --remote-header-name --output-dir d/"),
        (#","output":"./""#, "--remote-name --remote-header-name"), (#","output":"-""#, "--output ./-"),
        (
            #","timeout":1.5,"connectTimeout":2,"idleTimeout":3"#,
            "--max-time 1.5 --connect-timeout 2 --speed-time 3"
        ),
        (#","maxBody":9,"retry":4"#, "--max-filesize 9 --retry 3"),
        (#","retry":{"attempts":1,"maxTime":60}"#, "--retry 0 --retry-max-time 60"),
        (#","credential":{"user":"u","password":"p:w"}"#, "--anyauth --user u:p:w"),
        (#","proxy":"""#, "--noproxy '*'"), (#","proxy":"socks5h://p""#, "--proxy socks5h://p"),
        (#","httpVersion":"1.1""#, "--http1.1"), (#","httpVersion":"2-prior-knowledge""#, "--http2-prior-knowledge"),
        (#","unixSocket":"/run/s","resolve":{"h":"::1"}"#, "--unix-socket /run/s --resolve h:80:::1"),
        (#","security":{"allowInvalidCertificates":true,"validatesHost":false}"#, "--insecure"),
        (#","security":{"ca":"c","clientCertificate":"a:b","clientKey":"k"}"#, #"--cacert c --cert 'a\:b' --key k"#),
    ]

    @Test(arguments: fields)
    func fieldBecomesItsOption(members: String, expected: String) {
        #expect(command(members) == expected)
    }

    private static let switches: [(String, String)] = [
        (#""redirects":0"#, "curl --compressed http://h/"),
        (
            #""decode":false,"headers":{"Accept-Encoding":"br"},"redirects":0"#,
            "curl --header 'Accept-Encoding: br' http://h/"
        ),
    ]

    @Test(arguments: switches)
    func redirectsAndCodingsCanBeOff(members: String, expected: String) {
        #expect(ConvertedText(#"{"url":"http://h/",\#(members)}"#, CurlWriter()).texts == [expected])
    }

    private static let comments: [(String, [String])] = [
        (#""id":"a\nb""#, [#"id "a\nb""#]), (#""after":["x"]"#, ["'after'"]), (#""expect":{}"#, ["'expect'"]),
        (#""priority":"high","script":[{"at":0,"do":"pause"}]"#, ["'priority'", "'script'"]),
        (#""idempotencyKey":true"#, ["'idempotencyKey'"]), (#""decode":false"#, ["'decode'"]),
        (#""plist":1"#, ["'plist'"]), (#""unique":"k""#, ["'unique'"]), (#""cache":"reload""#, ["'cache'"]),
        (#""text":"\u0000""#, ["'text'"]), (#""multipart":[{"name":"a=b","value":""}]"#, ["'multipart[0].name'"]),
        (#""security":{"mode":"publicKey","pins":["p"]}"#, ["'security.mode'", "'security.pins'"]),
        (#""security":{"allowInvalidCertificates":true}"#, ["'security.allowInvalidCertificates'"]),
        (#""security":{"validatesHost":false}"#, ["'security.validatesHost'"]),
        (
            #""idleTimeout":1.5,"retry":{"statuses":[500],"maxTime":0.5}"#,
            ["'idleTimeout'", "'retry.statuses'", "'retry.maxTime'"]
        ),
        (#""credential":{"user":"a:b","password":""}"#, ["'credential.user'"]), (#""timeout":1e-9"#, ["'timeout'"]),
        (
            #""headers":{"A":"${x.status}"},"text":"${env:B}""#,
            ["the references in 'headers.A'", "the references in 'text'"]
        ),
    ]

    @Test(arguments: comments)
    func fieldWithoutACounterpartIsACommentBeforeTheCommand(members: String, expected: [String]) {
        let converted = ConvertedText("\n# c\n" + #"{"url":"http://h/",\#(members)}"#, CurlWriter())
        #expect(converted.error == nil)
        let rest = converted.texts.dropLast().map { String($0.dropFirst("# line 3: ".count)) }
        #expect(converted.texts.dropLast().allSatisfy { $0.hasPrefix("# line 3: ") && !$0.contains("\n") })
        #expect(rest.count == expected.count && zip(rest, expected).allSatisfy { $0.hasPrefix($1) }, "\(rest)")
        #expect(converted.texts.last?.hasPrefix("curl ") == true)
    }

    @Test func referencesStayAsTheyAre() {
        let line = #"{"url":"${a.body.next}","redirects":0,"headers":{"A":"$${b} ${c.status}"}}"#
        let converted = ConvertedText(line, CurlWriter())
        #expect(converted.texts.last == "curl --header 'A: $${b} ${c.status}' --compressed --globoff '${a.body.next}'")
        #expect(converted.texts.count == 3)
    }

    @Test func relativeURLNeedsABase() throws {
        let line = #"{"url":"users?a=b","redirects":0}"#
        let base = try #require(URL(string: "https://h/v1"))
        #expect(ConvertedText(line, CurlWriter(baseURL: base)).texts == ["curl --compressed 'https://h/v1/users?a=b'"])
        let error = ConvertedText("\n" + line, CurlWriter()).error
        #expect(error == ConversionError(line: 2, "field \"url\": the URL is relative: pass its base with --base-url"))
    }

    private static let badLines: [(String, String)] = [
        (#"{"url":1}"#, "field \"url\": expected a string"), ("{", "malformed JSON"),
        (#"{"url":"${a.status"}"#, "field \"url\""),
        (#"{"url":"ftp://h/"}"#, "field \"url\": the URL"),
    ]

    @Test(arguments: badLines)
    func badLineIsAnErrorWithItsNumber(line: String, start: String) {
        let converted = ConvertedText(#"{"url":"http://h/"}"# + "\n" + line, CurlWriter())
        #expect(converted.texts.count == 1)
        #expect(converted.error?.line == 2)
        #expect(converted.error?.message.hasPrefix(start) == true, "\(converted.error?.message ?? "")")
    }
}
