// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import BluebonnetHTTP

@Suite struct SuggestedFileNameTests {
    private func name(_ url: String, _ disposition: String? = nil) throws -> String {
        let fields = disposition.map { [(name: "content-disposition", value: $0)] } ?? []
        return SuggestedFileName.name(
            for: ResponseHead(url: try #require(URL(string: url)), statusCode: 200, headers: HeaderFields(fields)))
    }

    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), (#"C:\dir\file.txt"#, "file.txt"),
        (#"..\..\x"#, "x"), ("a/b/", "b"), ("plain.txt", "plain.txt"), ("%2e%2e%2fx", "%2e%2e%2fx"),
        (".bashrc", "bashrc"), ("...hidden", "hidden"), (". .x", "x"), ("x. . ", "x"), (" x ", "x"),
        ("a\u{0}b\u{1}c\u{7f}\u{85}.txt", "abc.txt"), ("..\u{0}/x", "x"), (".\u{1}./x", "x"),
        ("a\r\nb", "ab"), ("exe.\u{202e}txt", "exe.txt"), ("\u{feff}x", "x"),
        ("a:b*c?d\"e<f>g|h", "a_b_c_d_e_f_g_h"), ("~", "~"), ("日本語.txt", "日本語.txt"), ("a b.txt", "a b.txt"),
        ("CON", "_CON"), ("con.txt", "_con.txt"), ("Nul.tar.gz", "_Nul.tar.gz"), ("COM1", "_COM1"),
        ("lpt9.x", "_lpt9.x"), ("COM\u{B2}", "_COM\u{B2}"), ("CON .txt", "_CON .txt"), ("CONSOLE", "CONSOLE"),
        ("COM10", "COM10"), ("x.bluebonnet-partial", "x_"), ("x.BlueBonnet-Partial.json", "x_.json"),
    ])
    func nameIsReducedToSafeName(text: String, name: String) {
        #expect(SuggestedFileName.reduced(text) == name)
    }

    @Test(arguments: ["", ".", "..", "...", "/", "///", "a/..", "\\", " ", "\u{0}", "\u{202e}", ". ."])
    func textWithoutSafeCharactersGivesNil(text: String) {
        #expect(SuggestedFileName.reduced(text) == nil)
    }

    @Test func longNameIsTruncatedBetweenCharacters() throws {
        let plain = try #require(SuggestedFileName.reduced(String(repeating: "a", count: 4096) + ".tar"))
        #expect(plain == String(repeating: "a", count: 251) + ".tar")
        let wide = try #require(SuggestedFileName.reduced(String(repeating: "日", count: 2000) + ".txt"))
        #expect(wide == String(repeating: "日", count: 83) + ".txt")
        let flags = try #require(SuggestedFileName.reduced(String(repeating: "🇫🇷", count: 600)))
        #expect(flags == String(repeating: "🇫🇷", count: 31))
        let accents = try #require(SuggestedFileName.reduced("e" + String(repeating: "\u{301}", count: 2000)))
        #expect(accents == "e" + String(repeating: "\u{301}", count: 127))
        let noExtension = try #require(SuggestedFileName.reduced("a." + String(repeating: "b", count: 4096)))
        #expect(noExtension.utf8.count == 255)
    }

    @Test func numberIsInsertedBeforeExtension() {
        #expect(SuggestedFileName.numbered("a.txt", 2) == "a (2).txt")
        #expect(SuggestedFileName.numbered("a", 13) == "a (13)")
        let long = String(repeating: "a", count: 251) + ".tar"
        #expect(SuggestedFileName.numbered(long, 2) == String(repeating: "a", count: 247) + " (2).tar")
    }

    @Test func nameComesFromFieldThenURLThenDefault() throws {
        #expect(try name("http://h/a/b.txt?c=/d", "attachment; filename=x.bin") == "x.bin")
        #expect(try name("http://h/a/b.txt?c=/d") == "b.txt")
        #expect(try name("http://h/a/b.txt", "attachment; filename=\"..\"") == "b.txt")
        #expect(try name("http://h/a/b%20c.txt", "attachment") == "b c.txt")
        #expect(try name("http://h/dir/") == "dir")
        #expect(try name("http://h/a%2fb") == "b")
        #expect(try name("http://h/%2e%2e") == "download")
        #expect(try name("http://h") == "download")
        #expect(try name("http://h/", "attachment; filename=\"\"") == "download")
    }

    // For any input, the name is one visible path component that a folder can contain.
    @Test func randomTextGivesSafeNames() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "/", "\\", ".", "..", "\u{0}", "\u{1}", "a", "日", "🇫🇷", "%2e", ":", " ", "\t", "\r\n", "CON", "\u{301}",
            "\u{200d}",
            "\u{202e}", ".bluebonnet-partial", String(repeating: "x", count: 200),
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...12, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let name = SuggestedFileName.reduced(text) else { continue }
            #expect(!name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix("."), "\(text.debugDescription)")
            #expect(name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !#"/\:*?"<>|"#.utf8.contains($0) })
            #expect(!name.contains(SuggestedFileName.reservedSuffix))
        }
    }
}
