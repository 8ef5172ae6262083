// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The partial file that a download into a folder continues. The response names the file only at the end.
@Suite struct PartialFileInFolderTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func partIsContinuedUnderAnotherSignature() throws {
        try fixture.leavePartInFolder("01234", of: "http://h/file?X-Amz-Signature=1")
        let file = try fixture.openInFolder("http://h/file?X-Amz-Signature=2")
        #expect(file.initialByteCount == 5)
        try fixture.write("56789", at: 5, to: file)
        try file.moveIntoPlace(as: "out")
        #expect(fixture.folder.names == ["out"])
        #expect(fixture.folder.text("out") == "0123456789")
    }

    @Test func partOfTheSameQueryIsPreferred() throws {
        do {
            let (first, second) = ("http://h/file?id=1", "http://h/file?id=2")
            let files = try [first, second].map(fixture.openInFolder)  // at the same time
            try fixture.leave(files[0], with: "01", of: first)
            try fixture.leave(files[1], with: "012", of: second)
        }
        for (url, count) in [("http://h/file?id=2", 3), ("http://h/file?id=1", 2)] {
            #expect(try fixture.openInFolder(url).initialByteCount == count)
        }
    }

    @Test(arguments: ["http://h/other?sig=2", "http://other/file?sig=2", "http://h/file"])
    func partOfAnotherResourceIsNotContinued(url: String) throws {
        try fixture.leavePartInFolder("01234", of: "http://h/file?sig=1")
        #expect(try fixture.openInFolder(url).initialByteCount == 0)
        #expect(try fixture.openInFolder("http://h/file?sig=1").initialByteCount == 5)
    }

    @Test func partInUseIsLeftToItsDownload() throws {
        try fixture.leavePartInFolder("01234", of: "http://h/file?sig=1")
        let first = try fixture.openInFolder("http://h/file?sig=2")
        let second = try fixture.openInFolder("http://h/file?sig=3")
        #expect(first.initialByteCount == 5)
        #expect(second.initialByteCount == 0)
        #expect(first.name != second.name)
    }
}
