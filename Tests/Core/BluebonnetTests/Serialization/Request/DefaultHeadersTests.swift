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
    func atMostSixLanguagesHaveFallingWeights(languages: [String], expected: String) {
        #expect(DefaultHeaders.acceptLanguage(languages) == expected)
    }

    @Test func languageFieldIsOmittedWithoutLanguages() {
        #expect(DefaultHeaders.acceptLanguage([]) == nil)
        #expect(DefaultHeaders.acceptLanguage(["", "e\r\nn"]) == nil)
    }

    @Test(arguments: [
        ("tool", "1.2.3", "tool/1.2.3 Bluebonnet/"), ("my tool", "1 (beta)", "my-tool/1--beta- Bluebonnet/"),
        ("tool", nil, "tool Bluebonnet/"), ("", "2", "Bluebonnet/"), ("bluebonnet", nil, "bluebonnet/"),
        ("Тест", "1", "Test/1 Bluebonnet/"), ("Zürich", "1", "Zurich/1 Bluebonnet/"),
        ("a\r\nX: y", "", "a--X--y Bluebonnet/"), ("😀", "😀", "Bluebonnet/"),
    ])
    func userAgentNamesTheProgramTheLibraryAndThePlatform(product: String, version: String?, start: String) {
        let agent = DefaultHeaders.userAgent(product: product, version: version)
        #expect(agent == start + LibraryVersion.text + " (Linux; Swift)")
    }

    @Test(
        arguments: [
            ([:], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX", "LANGUAGE": "de"], []), (["LANG": ""], []),
            (["LANG": "de_CH.UTF-8"], ["de-CH"]), (["LANG": "de_DE@euro"], ["de-DE"]), (["LANG": "eo"], ["eo"]),
            (["LANG": "C", "LC_ALL": "fr_FR.UTF-8"], ["fr-FR"]), (["LANG": "fr_FR", "LC_ALL": "C"], []),
            (["LANG": "en_US", "LC_MESSAGES": "it"], ["it"]), (["LANG": "en_US", "LC_MESSAGES": ""], ["en-US"]),
            (["LANG": "en_US", "LANGUAGE": "de_AT:de:C"], ["de-AT", "de"]),
        ] as [([String: String], [String])])
    func languagesComeFromTheEnvironment(environment: [String: String], expected: [String]) {
        #expect(DefaultHeaders.languages(of: environment) == expected)
    }

    @Test func processHasAUserAgent() throws {
        let agent = try #require(DefaultHeaders.ofThisProcess["user-agent"])
        #expect(agent.hasSuffix(" (Linux; Swift)"))
        #expect(!agent.contains("null"))
        #expect(agent.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
}
