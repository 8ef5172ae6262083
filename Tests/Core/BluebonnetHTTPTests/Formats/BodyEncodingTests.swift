// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct BodyEncodingTests {
    @Test(
        arguments: [
            ([0x7B, 0x7D], .utf8), ([0x31], .utf8), ([], .utf8), ([0xEF, 0xBB, 0xBF, 0x31], .utf8),
            ([0xFE, 0xFF, 0x00, 0x31], .utf16(bigEndian: true)), ([0xFF, 0xFE, 0x31, 0x00], .utf16(bigEndian: false)),
            ([0x00, 0x00, 0xFE, 0xFF], .utf32(bigEndian: true)), ([0xFF, 0xFE, 0x00, 0x00], .utf32(bigEndian: false)),
            ([0x00, 0x31], .utf16(bigEndian: true)), ([0x31, 0x00], .utf16(bigEndian: false)),
            ([0x00, 0x22, 0x20, 0xAC], .utf16(bigEndian: true)), ([0x22, 0x00, 0xAC, 0x20], .utf16(bigEndian: false)),
            ([0x00, 0x00, 0x00, 0x31], .utf32(bigEndian: true)), ([0x31, 0x00, 0x00, 0x00], .utf32(bigEndian: false)),
        ] as [([UInt8], BodyEncoding)])
    func encodingWithoutCharsetIsDetectedFromBytes(bytes: [UInt8], encoding: BodyEncoding) {
        #expect(BodyEncoding(of: Data(bytes), charset: nil) == encoding)
        #expect(BodyEncoding(of: Data(bytes), charset: "x-unknown") == encoding)
    }

    @Test(
        arguments: [
            ("utf-8", .utf8), ("utf8", .utf8), ("utf-16be", .utf16(bigEndian: true)),
            ("utf-16le", .utf16(bigEndian: false)),
            ("utf-32be", .utf32(bigEndian: true)), ("utf-32le", .utf32(bigEndian: false)),
            ("iso-8859-1", .other(.isoLatin1)),
            ("shift_jis", .other(.shiftJIS)), ("us-ascii", .other(.ascii)),
        ] as [(String, BodyEncoding)])
    func knownCharsetDeterminesEncoding(charset: String, encoding: BodyEncoding) {
        #expect(BodyEncoding(of: Data([0x31, 0x32]), charset: charset) == encoding)
    }

    @Test func byteOrderMarkOverridesCharset() {
        #expect(BodyEncoding(of: Data([0xFE, 0xFF, 0, 0x31]), charset: "utf-8") == .utf16(bigEndian: true))
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "utf-8"), ("a/b;CHARSET=\"UTF-16\"", "utf-16"),
        ("a/b; x=y; charset = latin1 ; z", "latin1"),
        ("a/b", nil), ("a/b; charset", nil), ("charset=utf-8", nil), ("", nil),
    ])
    func charsetIsReadFromContentType(contentType: String, charset: String?) {
        #expect(BodyEncoding.charset(of: contentType) == charset)
    }

    @Test(
        arguments: [
            (.utf8, [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"), (.utf16(bigEndian: true), [0xFE, 0xFF, 0x00, 0xE9], "é"),
            (.utf16(bigEndian: false), [0x3D, 0xD8, 0x00, 0xDE], "😀"),
            (.utf32(bigEndian: true), [0x00, 0x01, 0xF6, 0x00], "😀"),
            (.other(.isoLatin1), [0xE9], "é"), (.other(.windowsCP1252), [0x80], "€"), (.utf8, [], ""),
        ] as [(BodyEncoding, [UInt8], String)])
    func byteOrderMarkIsRemovedFromText(encoding: BodyEncoding, bytes: [UInt8], text: String) {
        #expect(encoding.text(of: Data(bytes)) == text)
        #expect(encoding.text(of: Data([0x20] + bytes).dropFirst()) == text)
    }

    @Test(
        arguments: [
            (.utf8, [0xFF]), (.utf8, [0xED, 0xA0, 0x80]), (.utf16(bigEndian: true), [0x00]),
            (.utf16(bigEndian: true), [0x00, 0x31, 0x00]),
            (.utf16(bigEndian: true), [0xD8, 0x00, 0x00, 0x31]), (.utf16(bigEndian: true), [0xDC, 0x00]),
            (.utf32(bigEndian: true), [0x00, 0x11, 0x00, 0x00]), (.utf32(bigEndian: true), [0x00, 0x00, 0xD8, 0x00]),
            (.utf32(bigEndian: true), [0x00, 0x00, 0x00]), (.other(.ascii), [0xE9]), (.other(.shiftJIS), [0x81]),
        ] as [(BodyEncoding, [UInt8])])
    func undecodableBytesGiveNil(encoding: BodyEncoding, bytes: [UInt8]) {
        #expect(encoding.text(of: Data(bytes)) == nil)
    }
}
