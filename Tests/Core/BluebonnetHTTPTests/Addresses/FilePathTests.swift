// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct FilePathTests {
    @Test(arguments: ["~", "~/x", "~root/x", "~nobody"])
    func tildeIsNotExpanded(path: String) {
        let expected = FileManager.default.currentDirectoryPath + "/" + path
        #expect(FilePath.url(path).path == expected)
        #expect(FilePath.url(path, isDirectory: false).path == expected)
    }

    @Test func absolutePathsAreUnchanged() {
        #expect(FilePath.url("/a/~/b").path == "/a/~/b")
        #expect(FilePath.url("/a", isDirectory: true).hasDirectoryPath)
    }

    @Test(arguments: ["a/", "/", ".", "..", "a/.", "a/.."])
    func folderPathIsRecognized(path: String) { #expect(FilePath.namesFolder(path)) }

    @Test(arguments: ["a", "...", ".a", "a..", "/a/b"])
    func filePathIsNotFolderPath(path: String) { #expect(!FilePath.namesFolder(path)) }
}
