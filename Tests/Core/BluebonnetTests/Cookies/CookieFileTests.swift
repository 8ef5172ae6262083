// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CookieFileTests {
    private static let cookies = [
        Cookie(name: "a", value: "1", domain: "example.com"),
        Cookie(
            name: "b", value: "two words=", domain: "example.org", path: "/p", includesSubdomains: true,
            expires: Date(timeIntervalSince1970: 4_000_000_000), isSecure: true, isHTTPOnly: true),
        Cookie(name: "empty", value: "", domain: "127.0.0.1"),
    ]

    // The format as curl documents it: seven fields with tabs between them.
    private static let text = """
        # Netscape HTTP Cookie File
        example.com\tFALSE\t/\tFALSE\t0\ta\t1
        #HttpOnly_.example.org\tTRUE\t/p\tTRUE\t4000000000\tb\ttwo words=
        127.0.0.1\tFALSE\t/\tFALSE\t0\tempty\t

        """

    @Test func cookiesAreWrittenInTheDocumentedFormat() {
        #expect(CookieFile.text(Self.cookies) == Self.text)
    }

    /// For Swift, a tab and the combining mark after it are one character.
    @Test func valueMayBeginWithACombiningMark() {
        let cookie = CookieFile.cookie("a.test\tFALSE\t/\tFALSE\t0\tn\t\u{301}x")
        #expect(cookie?.name == "n")
        #expect(cookie?.value == "\u{301}x")
    }

    @Test func cookieFileDoesNotReplaceADevice() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.path("jar"), withDestinationPath: "/dev/null")
        let error = #expect(throws: NetworkingError.self) { try CookieFile.write(Self.cookies, to: folder.path("jar")) }
        #expect(error?.code == .cannotWriteFile)
        #expect(folder.names == ["jar"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("jar")) == "/dev/null")
    }

    @Test func writtenCookiesAreReadAgain() throws {
        #expect(try CookieFile.cookies(in: Self.text, path: "f") == Self.cookies)
        let fromElsewhere = "\r\n# a comment\r\n127.0.0.1\tFALSE\t/\tFALSE\t0\tempty\r\n"
        #expect(try CookieFile.cookies(in: fromElsewhere, path: "f") == [Self.cookies[2]])
    }

    @Test(arguments: ["9223372036854775807", "9000000000000000000", "253402300800"])
    func expiryOfAnyLengthIsReadAndWritten(seconds: String) throws {
        let cookies = try CookieFile.cookies(in: "a.b\tFALSE\t/\tFALSE\t\(seconds)\tn\tv\n", path: "f")
        #expect(try CookieFile.cookies(in: CookieFile.text(cookies), path: "f") == cookies)
        #expect(cookies.first?.expires?.timeIntervalSince1970 == Double(seconds))
    }

    @Test func expiryBeforeTheEpochIsWrittenAsOneSecond() {
        let cookie = Cookie(name: "n", value: "v", domain: "a.b", expires: .distantPast)
        #expect(CookieFile.line(cookie) == "a.b\tFALSE\t/\tFALSE\t1\tn\tv")
    }

    @Test(arguments: [
        "garbage", "a.b\tFALSE\t/\tFALSE\t0", "a.b\tFALSE\t/\tFALSE\t0\tn\tv\tmore", "a.b\tno\t/\tFALSE\t0\tn\tv",
        "a.b\tFALSE\t/\tFALSE\t-1\tn\tv", "a.b\tFALSE\t/\tFALSE\tsoon\tn\tv", "a.b\tFALSE\tp\tFALSE\t0\tn\tv",
        "a.b\tFALSE\t/\tFALSE\t0\tn\t\u{1}", ".com\tTRUE\t/\tFALSE\t0\tn\tv", "a.b.\tFALSE\t/\tFALSE\t0\tn\tv",
        "a.b\tFALSE\t/\tFALSE\t99999999999999999999\tn\tv",
    ])
    func damagedLineIsNamed(line: String) {
        let text = "# Netscape HTTP Cookie File\na.b\tFALSE\t/\tFALSE\t0\tn\tv\n\(line)\n"
        let error = #expect(throws: NetworkingError.self) { try CookieFile.cookies(in: text, path: "/the/file") }
        #expect(error?.code == .cannotReadFile)
        #expect(error?.message.contains("line 3") == true)
        #expect(error?.message.contains("/the/file") == true)
    }

    @Test func fileWithTooManyCookiesIsRefused() {
        let text = String(repeating: "a.b\tFALSE\t/\tFALSE\t0\tn\tv\n", count: 3001)
        #expect(throws: NetworkingError.self) { try CookieFile.cookies(in: text, path: "f") }
    }

    @Test func fileIsOwnerOnlyAndReplacesTheOldOne() throws {
        let folder = try ScratchFolder()
        try folder.write("old", to: "jar")
        try CookieFile.write(Self.cookies, to: folder.path("jar"))
        #expect(folder.text("jar") == Self.text)
        #expect(folder.names == ["jar"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("jar"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        #expect(try CookieFile.read(folder.path("jar")) == Self.cookies)
    }

    @Test func linkAtTheFilePathIsReplacedNotFollowed() throws {
        let folder = try ScratchFolder()
        try folder.write("keep", to: "other")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("jar"), withDestinationPath: folder.path("other"))
        try CookieFile.write(Self.cookies, to: folder.path("jar"))
        #expect(folder.text("other") == "keep")
        #expect(folder.text("jar") == Self.text)
    }

    @Test func unusableFilesAreErrors() throws {
        let folder = try ScratchFolder()
        #expect(throws: NetworkingError.self) { try CookieFile.read(folder.path("missing")) }
        #expect(throws: NetworkingError.self) { try CookieFile.read(folder.url.path) }
        #expect(throws: NetworkingError.self) { try CookieFile.write([], to: folder.path("no/folder")) }
        try Data([0xFF, 0xFE, 0x00]).write(to: folder.file("binary"))
        let error = #expect(throws: NetworkingError.self) { try CookieFile.read(folder.path("binary")) }
        #expect(error?.code == .cannotReadFile)
    }
}
