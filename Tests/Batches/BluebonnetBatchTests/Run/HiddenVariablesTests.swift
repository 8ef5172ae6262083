// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct HiddenVariablesTests {
    private let line: RequestLine = {
        var line = RequestLine(url: "https://h/${env:PATH_PART}?a=${env:KEY}")
        line.query = ["q": .string("${env:QUERY}")]
        return line
    }()
    private let environment = ["KEY": "k&y #1", "PATH_PART": "bot12345", "QUERY": "über", "OTHER": "other"]

    @Test(arguments: [
        ("https://h/bot12345?a=b", "https://h/${env:PATH_PART}?a=b"),
        ("https://h/?a=k%26y+%231&q=%C3%BCber", "https://h/?a=${env:KEY}&q=${env:QUERY}"),
        ("https://h/?a=k&y%20#1", "https://h/?a=${env:KEY}"), ("x k&y  y", "x ${env:KEY} y"),
        ("https://h/?q=%c3%bcber", "https://h/?q=${env:QUERY}"), ("other bot1234 %", "other bot1234 %"), ("", ""),
    ])
    func valueIsReplacedInAnyEscaping(_ text: String, _ shown: String) throws {
        let hidden = try #require(HiddenVariables(of: line, environment))
        #expect(hidden.hide(in: text) == shown)
    }

    @Test func lineWithoutVariablesInItsAddressHidesNothing() {
        var line = RequestLine(url: "https://h/${a.status}")
        line.headers = ["A": "${env:KEY}"]
        line.query = ["q": .string("$${env:KEY}")]
        #expect(HiddenVariables(of: line, environment) == nil)
    }

    @Test func longestValueIsReplacedFirstAndShortOnesStay() throws {
        let line = RequestLine(url: "https://${env:HOST}/v${env:V}/${env:HOST_AND_MORE}")
        let environment = ["HOST": "example", "V": "2", "HOST_AND_MORE": "example-more"]
        let hidden = try #require(HiddenVariables(of: line, environment))
        #expect(hidden.hide(in: "https://example/v2/example-more") == "https://${env:HOST}/v2/${env:HOST_AND_MORE}")
    }

    @Test func resultShowsReferencesInItsURLAndItsError() throws {
        let hidden = try #require(HiddenVariables(of: line, environment))
        var result = ResultLine(id: "1", outcome: .failure)
        result.url = "https://h/bot12345"
        result.body = "bot12345"
        result.error = .init(code: .cannotConnect, message: "no bot12345", underlying: "at bot12345")
        hidden.hide(in: &result)
        #expect(result.url == "https://h/${env:PATH_PART}" && result.body == "bot12345")
        #expect(result.error?.message == "no ${env:PATH_PART}" && result.error?.underlying == "at ${env:PATH_PART}")
    }
}
