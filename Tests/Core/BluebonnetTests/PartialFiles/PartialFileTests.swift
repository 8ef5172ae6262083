// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct PartialFileTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func destinationIsNotTouchedBeforeTheBodyIsComplete() throws {
        try fixture.folder.write("old", to: "out")
        let file = try fixture.openNamed()
        try fixture.write("new", to: file)
        #expect(fixture.folder.text("out") == "old")
        #expect(fixture.folder.text("out.bluebonnet-partial") == "new")
        try file.moveIntoPlace()
        #expect(fixture.folder.text("out") == "new")
        #expect(fixture.folder.names == ["out"])
    }

    @Test func partThatCannotBeContinuedIsRemoved() throws {
        let file = try fixture.open()
        try file.setRecord(fixture.record)
        try fixture.write("01234", to: file)
        file.keepOrRemove(canContinue: false)
        #expect(fixture.folder.names == [])
    }

    @Test func truncationDropsAllBytes() throws {
        let file = try fixture.openNamed()
        try fixture.write("0123456789", to: file)
        try file.truncate()
        try fixture.write("abc", to: file)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "abc")
    }

    @Test func digestCoversTheWrittenBytes() throws {
        let file = try fixture.open()
        #expect(try file.digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        try fixture.write("abc", to: file)  // FIPS 180-2, appendix B.1
        #expect(try file.digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func digestCoversALongFile() throws {
        let file = try fixture.open()
        for piece in 0..<10 {
            try fixture.write(String(repeating: "a", count: 100_000), at: Int64(piece) * 100_000, to: file)
        }
        // FIPS 180-2, appendix B.3: a million times "a".
        #expect(try file.digest() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
