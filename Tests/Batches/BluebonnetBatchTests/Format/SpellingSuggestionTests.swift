// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct SpellingSuggestionTests {
    private static let names = RequestLine.Name.allCases.map(\.rawValue)

    @Test(arguments: [
        ("tiemout", "timeout"), ("URL", "url"), ("uri", "url"), ("ulr", "url"), ("header", "headers"),
        ("metod", "method"),
        ("connect_timeout", "connectTimeout"), ("timeouts", "timeout"), ("qeury", "query"), ("maxbody", "maxBody"),
    ])
    func misspellingFindsItsName(_ name: String, _ expected: String) {
        #expect(SpellingSuggestion.of(name, among: Self.names) == expected)
    }

    @Test(arguments: ["", "zzz", "cookies", "authentication", String(repeating: "timeout", count: 100)])
    func dissimilarTextGetsNoSuggestion(_ name: String) {
        #expect(SpellingSuggestion.of(name, among: Self.names) == nil)
    }

    @Test func suggestionWithoutCandidatesIsNil() {
        #expect(SpellingSuggestion.of("a", among: []) == nil)
    }
}
