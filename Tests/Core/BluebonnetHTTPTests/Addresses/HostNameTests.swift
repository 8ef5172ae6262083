// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

@Suite struct HostNameTests {
    @Test(arguments: [
        ("Example.ORG", "example.org"), ("trail.example.", "trail.example"),
        ("b\u{FC}cher.example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example.", "xn--bcher-kva.example"), ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("", ""), (".", ""), ("127.0.0.1", "127.0.0.1"),
    ])
    func hostSpellingsNormalizeToOneForm(text: String, expected: String) {
        #expect(HostName.normalized(text) == expected)
    }

    @Test func mergingReplacesEquivalentHostNames() {
        let merged = HostName.merging(["a.example.": "1"], over: ["A.example": "2", "b": "3"])
        #expect(merged == ["a.example.": "1", "b": "3"])
    }
}
