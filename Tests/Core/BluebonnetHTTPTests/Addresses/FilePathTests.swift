// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct FilePathTests {
    @Test(arguments: ["~", "~/x", "~root/x", "~nobody"])
    func tildeIsACharacterLikeAnyOther(path: String) {
        let expected = FileManager.default.currentDirectoryPath + "/" + path
        #expect(FilePath.url(path).path == expected)
        #expect(FilePath.url(path, isDirectory: false).path == expected)
    }

    @Test func otherPathsStayAsTheyAre() {
        #expect(FilePath.url("/a/~/b").path == "/a/~/b")
        #expect(FilePath.url("/a", isDirectory: true).hasDirectoryPath)
    }

    @Test(arguments: ["a/", "/", ".", "..", "a/.", "a/.."])
    func pathOfAFolderShowsIt(path: String) { #expect(FilePath.namesFolder(path)) }

    @Test(arguments: ["a", "...", ".a", "a..", "/a/b"])
    func pathOfAFileIsNotOneOfAFolder(path: String) { #expect(!FilePath.namesFolder(path)) }
}
