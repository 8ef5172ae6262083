// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct OutputFolderTests {
    private let scratch: ScratchFolder
    private let url: URL

    init() throws {
        scratch = try ScratchFolder()
        try FileManager.default.createDirectory(at: scratch.file("in"), withIntermediateDirectories: false)
        url = try #require(URL(string: "http://h/file"))
    }

    private func folder(_ policy: ExistingFilePolicy = .number) throws -> OutputFolder {
        try OutputFolder(path: scratch.path("in"), policy: policy)
    }

    private func file(_ text: String, _ folder: OutputFolder, isSynced: Bool = false) throws -> PartialFile {
        let file = try PartialFile(folder: folder, url: url, isSynced: isSynced)
        try Data(text.utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
        return file
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path("in")).sorted() }
    }

    @Test func missingFolderAndItsParentsAreCreatedOnRequest() throws {
        let path = scratch.path("new/below/it")
        #expect(throws: NetworkingError.self) { try OutputFolder(path: path, policy: .number) }
        #expect(scratch.names == ["in"])
        for _ in 0..<2 { #expect(try OutputFolder(path: path, policy: .number, isCreated: true).descriptor >= 0) }
        #expect(scratch.names == ["in", "new"])
    }

    @Test(arguments: ["file", "file/below"])
    func folderCannotBeCreatedOverAFile(name: String) throws {
        try scratch.write("text", to: "file")
        let error = #expect(throws: NetworkingError.self) {
            try OutputFolder(path: scratch.path(name), policy: .number, isCreated: true)
        }
        #expect(error?.code == .cannotOpenFile)
        #expect(error?.message == "cannot create the folder \(scratch.path(name))")
        #expect(scratch.text("file") == "text")
    }

    @Test func freeNameIsUsed() throws {
        let path = try file("new", folder()).moveIntoPlace(as: "a.txt")
        #expect(path == scratch.file("in").resolvingSymlinksInPath().path + "/a.txt")
        #expect(scratch.text("in/a.txt") == "new")
        #expect(try names == ["a.txt"])
    }

    @Test func takenNameGetsANumber() throws {
        for number in 1...3 { try file("\(number)", folder()).moveIntoPlace(as: "a.txt") }
        #expect(try names == ["a (2).txt", "a (3).txt", "a.txt"])
        #expect(scratch.text("in/a.txt") == "1")
        #expect(scratch.text("in/a (3).txt") == "3")
    }

    @Test func replacedFileOfAFolderKeepsItsPermissions() throws {
        try scratch.write("old", to: "in/a.txt")
        #expect(chmod(scratch.path("in/a.txt"), 0o600) == 0)
        try file("new", folder(.replace)).moveIntoPlace(as: "a.txt")
        #expect(scratch.text("in/a.txt") == "new")
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("in/a.txt"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func pipeInAFolderIsNotReplaced() throws {
        #expect(mkfifo(scratch.path("in/a.txt"), 0o600) == 0)
        let file = try file("new", folder(.replace))
        let error = #expect(throws: NetworkingError.self) { try file.moveIntoPlace(as: "a.txt") }
        #expect(error?.code == .cannotWriteFile)
        #expect(error?.message.hasSuffix("/a.txt: it is a FIFO or pipe, not a regular file") == true)
        file.keepOrRemove(canContinue: false)
        #expect(try names == ["a.txt"])
    }

    @Test func manyFilesOfOneNameAreNumberedConsecutively() throws {
        for number in 1...40 { try file("\(number)", folder()).moveIntoPlace(as: "a.txt") }
        let expected = Set(["a.txt"] + (2...40).map { "a (\($0)).txt" })
        #expect(try Set(names) == expected)
    }

    @Test func takenNameMayBeAnError() throws {
        try scratch.write("old", to: "in/a.txt")
        let file = try file("new", folder(.fail))
        let error = #expect(throws: NetworkingError.self) { try file.moveIntoPlace(as: "a.txt") }
        #expect(error?.code == .cannotWriteFile)
        #expect(scratch.text("in/a.txt") == "old")
    }

    @Test func fileMayBeReplaced() throws {
        try scratch.write("old", to: "in/a.txt")
        try file("new", folder(.replace)).moveIntoPlace(as: "a.txt")
        #expect(scratch.text("in/a.txt") == "new")
        #expect(try names == ["a.txt"])
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func linkIsNeverFollowed(policy: ExistingFilePolicy) throws {
        try scratch.write("keep", to: "outside")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("in/a.txt"), withDestinationPath: scratch.path("outside"))
        _ = try? file("new", folder(policy)).moveIntoPlace(as: "a.txt")
        #expect(scratch.text("outside") == "keep")
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func danglingLinkCreatesNoFileElsewhere(policy: ExistingFilePolicy) throws {
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("in/a.txt"), withDestinationPath: scratch.path("outside"))
        _ = try? file("new", folder(policy)).moveIntoPlace(as: "a.txt")
        #expect(scratch.names == ["in"])
    }

    @Test func folderOfTheSameNameIsNotReplaced() throws {
        try FileManager.default.createDirectory(at: scratch.file("in/a.txt"), withIntermediateDirectories: false)
        let error = #expect(throws: NetworkingError.self) {
            try file("new", folder(.replace)).moveIntoPlace(as: "a.txt")
        }
        #expect(error?.code == .cannotWriteFile)
        #expect(try names.contains("a.txt"))
    }

    // The download keeps the folder open and does not use its path again.
    @Test func folderReplacedByALinkKeepsItsDownloads() throws {
        let file = try file("new", folder())
        try FileManager.default.createDirectory(at: scratch.file("elsewhere"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(at: scratch.file("in"), to: scratch.file("moved"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("in"), withDestinationPath: scratch.path("elsewhere"))
        let path = try file.moveIntoPlace(as: "a.txt")
        #expect(scratch.text("moved/a.txt") == "new")
        #expect(URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent == "moved")
        #expect(try names == [])
    }

    @Test func removedFolderIsAnError() throws {
        let file = try file("new", folder())
        try FileManager.default.removeItem(at: scratch.file("in"))
        let error = #expect(throws: NetworkingError.self) { try file.moveIntoPlace(as: "a.txt") }
        #expect(error?.code == .cannotWriteFile)
    }

    @Test func folderMustExist() throws {
        try scratch.write("a file", to: "file")
        for name in ["missing", "file"] {
            let error = #expect(throws: NetworkingError.self) {
                try OutputFolder(path: scratch.path(name), policy: .number)
            }
            #expect(error?.code == .cannotOpenFile)
        }
    }

    @Test func simultaneousDownloadsOfOneURLUseSeparateFiles() throws {
        let folder = try folder()
        let (first, second) = (try file("first", folder), try file("second", folder))
        try second.moveIntoPlace(as: "a")
        try first.moveIntoPlace(as: "a")
        #expect(scratch.text("in/a") == "second")
        #expect(scratch.text("in/a (2)") == "first")
        #expect(try names == ["a", "a (2)"])
    }

    @Test func partThatCanBeContinuedIsFoundAgain() throws {
        let record = PartialRecord(
            requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: 10)
        do {
            let part = try file("01234", folder())
            try part.setRecord(record)
            part.keepOrRemove(canContinue: true)
        }
        let next = try PartialFile(folder: folder(), url: url)
        #expect(next.initialByteCount == 5)
        #expect(next.initialRecord == record)
        next.keepOrRemove(canContinue: false)
        #expect(try names == [])
    }

    @Test func syncedFileIsInPlace() throws {
        try file("new", folder(), isSynced: true).moveIntoPlace(as: "a")
        #expect(scratch.text("in/a") == "new")
        let alone = try PartialFile(destination: scratch.path("alone"), url: url, isSynced: true)
        try alone.moveIntoPlace()
        #expect(scratch.text("alone") == "")
    }
}
