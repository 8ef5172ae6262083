// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct BatchNamesTests {
    @Test(
        arguments: [
            (["bluebonnet", "status", "--store", "postgresql://a/b", ""], [:], "postgresql://a/b"),
            (["bluebonnet", "status", "--store=postgresql://a/b", ""], [:], "postgresql://a/b"),
            (["bluebonnet", "status", "--store", "'host=a dbname=b'"], [:], "host=a dbname=b"),
            (["bluebonnet", "status", "--store", "first", "--store", "second"], [:], "second"),
            (["bluebonnet", "status", ""], ["BLUEBONNET_STORE": "postgresql://e/f"], "postgresql://e/f"),
            (["bluebonnet", "--store", "a"], ["BLUEBONNET_STORE": "b"], "a"),
            // As bash splits them.
            (
                ["bluebonnet", "status", "--store", "postgresql", ":", "//a", "@", "127.0.0.1", ":", "5432/b", ""], [:],
                "postgresql://a@127.0.0.1:5432/b"
            ),
            (["bluebonnet", "status", "--store", "=", "postgresql", ":", "//a/b", "ni"], [:], "postgresql://a/b"),
            (["bluebonnet", "status", "--store", "dbname", "=", "b", "ni"], [:], "dbname=b"),
            (["bluebonnet", "status", "--store", "b", ""], [:], "b"),
            (["bluebonnet", "status", "--store"], [:], nil),
            (["bluebonnet", "status", "--stores", "a"], [:], nil),
            (["bluebonnet", "status", ""], ["BLUEBONNET_STORE": ""], nil),
            ([], [:], nil),
        ] as [([String], [String: String], String?)])
    func storeIsTakenFromWordsOrEnvironment(words: [String], environment: [String: String], store: String?) {
        #expect(BatchNames.store(in: words, environment: environment) == store)
    }

    @Test func colonOfNameIsEscapedForZshOnly() {
        #expect(BatchNames.candidate("a:b", isForZsh: true) == #"a\:b"#)
        #expect(BatchNames.candidate("a:b", isForZsh: false) == "a:b")
    }

    @Test(arguments: [
        ("nightly", "nightly"), (#"'a b'"#, "a b"), (#""a b""#, "a b"), (#"a\ b"#, "a b"), (#""a\"b""#, #"a"b"#),
        (#"'a\b'"#, #"a\b"#), (#""a\b""#, #"a\b"#), (#"'a'"b"c"#, "abc"), ("'open", "open"), (#"a\"#, "a"), ("", ""),
    ])
    func wordIsReadAsByShell(word: String, text: String) {
        #expect(BatchNames.unquoted(word) == text)
    }
}
