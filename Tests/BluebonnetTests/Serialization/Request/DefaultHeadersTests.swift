// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct DefaultHeadersTests {
    @Test(arguments: [
        (["en"], "en;q=1"), (["de-CH", "fr", "en-001"], "de-CH;q=1, fr;q=0.9, en-001;q=0.8"),
        (["a", "b", "c", "d", "e", "f", "g", "h"], "a;q=1, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
    ])
    func languagesHaveFallingWeightsAndAreSixAtMost(languages: [String], expected: String) {
        #expect(DefaultHeaders.acceptLanguage(languages) == expected)
    }

    @Test func languageFieldIsLeftOutWithoutLanguages() {
        #expect(DefaultHeaders.acceptLanguage([]) == nil)
        #expect(DefaultHeaders.acceptLanguage(["", "e\r\nn"]) == nil)
    }

    @Test(arguments: [
        ("tool", "1.2.3", "tool/1.2.3 (Linux; Swift)"), ("my tool", "1 (beta)", "my-tool/1--beta- (Linux; Swift)"),
        ("tool", nil, "tool/0 (Linux; Swift)"), ("", "2", "Bluebonnet/2 (Linux; Swift)"),
        ("Тест", "1", "Test/1 (Linux; Swift)"), ("Zürich", "1", "Zurich/1 (Linux; Swift)"),
        ("a\r\nX: y", "", "a--X--y/0 (Linux; Swift)"), ("😀", "😀", "Bluebonnet/0 (Linux; Swift)"),
    ])
    func theUserAgentIsATokenAVersionAndThePlatform(product: String, version: String?, expected: String) {
        #expect(DefaultHeaders.userAgent(product: product, version: version) == expected)
    }

    @Test func processHasAUserAgent() throws {
        let agent = try #require(DefaultHeaders.ofThisProcess["user-agent"])
        #expect(agent.hasSuffix(" (Linux; Swift)"))
        #expect(!agent.contains("null"))
        #expect(agent.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
}
