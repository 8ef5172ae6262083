// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// The URL of a downloaded file is the URL of its path, however the caller wrote it.
@Suite struct PartialFilePlaceTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func place(_ url: URL) throws -> URL {
        let file = try PartialFile(destination: url.path, callerURL: url, url: nil)
        return try TransferResult().moveIntoPlace(file)
    }

    @Test func fileURLOfThePathIsReturnedUnchanged() throws {
        let url = URL(fileURLWithPath: folder.path("out"), isDirectory: false)
        #expect(try place(url) == url)
    }

    @Test(arguments: ["?x=1", "#part", "/"])
    func queryAndFragmentOfTheFileURLAreDropped(addition: String) throws {
        let path = URL(fileURLWithPath: folder.path("out"), isDirectory: false)
        let url = try #require(URL(string: path.absoluteString + addition))
        #expect(try place(url) == path)
    }

    @Test func relativeURLBecomesAbsolute() throws {
        let base = URL(fileURLWithPath: folder.path(""), isDirectory: true)
        let given = try place(URL(fileURLWithPath: "out", isDirectory: false, relativeTo: base))
        #expect(given == URL(fileURLWithPath: folder.path("out"), isDirectory: false))
        #expect(given.baseURL == nil)
    }
}
