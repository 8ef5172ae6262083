// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct FieldSyntaxTests {
    @Test func onlySpecifiedTokenCharactersAreAllowed() {
        let special = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8.min...UInt8.max {
            let character = Character(UnicodeScalar(byte))
            let isExpected = byte < 0x80 && (character.isLetter || character.isNumber || special.contains(byte))
            #expect(FieldSyntax.isTokenByte(byte) == isExpected, "byte \(byte)")
        }
    }

    @Test func tokenHasAtLeastOneCharacter() {
        #expect(FieldSyntax.isToken("GET".utf8))
        #expect(!FieldSyntax.isToken("".utf8))
        #expect(!FieldSyntax.isToken("X Y".utf8))
    }

    @Test func fieldValueForbidsControlsExceptTab() {
        for byte in UInt8.min...UInt8.max {
            let isExpected = (byte <= 31 && byte != 9) || byte == 127
            #expect(FieldSyntax.isForbiddenInValue(byte) == isExpected, "byte \(byte)")
        }
    }

    @Test(arguments: [
        ("Content-Type", "content-type", true), ("ETag", "ETAG", true), ("", "", true), ("a", "ab", false),
        ("a", "b", false), ("@", "`", false), ("[", "{", false),
    ])
    func namesAreComparedIgnoringASCIILetterCase(first: String, second: String, isSame: Bool) {
        #expect(FieldSyntax.isSameName(first, second) == isSame)
    }

    @Test(arguments: [(0, "a NUL"), (10, "a line feed"), (13, "a carriage return")] as [(UInt8, String)])
    func knownControlsHaveNames(byte: UInt8, name: String) {
        #expect(FieldSyntax.name(ofControl: byte) == name)
    }

    @Test func unnamedControlCharactersAreNumbered() {
        #expect(FieldSyntax.name(ofControl: 1) == "the control character 0x01")
        #expect(FieldSyntax.name(ofControl: 0x7F) == "the control character 0x7F")
    }
}
