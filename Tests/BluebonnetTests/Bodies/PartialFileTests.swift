// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct PartialFileTests {
    private let folder: ScratchFolder
    private let url: URL
    private let record: PartialRecord

    init() throws {
        folder = try ScratchFolder()
        url = try #require(URL(string: "http://h/file"))
        record = PartialRecord(requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: 10)
    }

    @Test func theDestinationIsNotTouchedBeforeTheBodyIsComplete() throws {
        try folder.write("old", to: "out")
        let file = try openNamed()
        try write("new", to: file)
        #expect(folder.text("out") == "old")
        #expect(folder.text("out.bluebonnet-partial") == "new")
        try file.moveIntoPlace()
        #expect(folder.text("out") == "new")
        #expect(folder.names == ["out"])
    }

    @Test func movingIntoPlaceTakesTheRecordAway() throws {
        let file = try open()
        try file.setRecord(record)
        try write("0123456789", to: file)
        try file.moveIntoPlace()
        #expect(folder.names == ["out"])
    }

    @Test func partThatCanBeContinuedIsKeptWithItsRecord() throws {
        try leavePart("01234")
        #expect(folder.names == ["out.bluebonnet-partial", "out.bluebonnet-partial.json"])
        let next = try open()
        #expect(next.initialByteCount == 5)
        #expect(next.initialRecord == record)
        try write("56789", at: 5, to: next)
        try next.moveIntoPlace()
        #expect(folder.text("out") == "0123456789")
    }

    /// A process that was killed may leave one without its file.
    @Test func aRecordWithoutItsFileIsRemoved() throws {
        try folder.write("{}", to: "out.bluebonnet-partial.json")
        let file = try openNamed()
        #expect(folder.names == ["out.bluebonnet-partial"])
        try write("new", to: file)
        try file.moveIntoPlace()
        #expect(folder.names == ["out"])
    }

    @Test func partThatCannotBeContinuedIsRemoved() throws {
        let file = try open()
        try file.setRecord(record)
        try write("01234", to: file)
        file.keepOrRemove(canContinue: false)
        #expect(folder.names == [])
    }

    @Test func bytesWithoutARecordAreDropped() throws {
        try folder.write("01234", to: "out.bluebonnet-partial")
        let file = try open()
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
        #expect(folder.text("out.bluebonnet-partial") == "")
    }

    @Test func bytesOfAnotherURLAreDropped() throws {
        try leavePart("01234")
        let file = try PartialFile(destination: folder.path("out"), url: URL(string: "http://h/other"))
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
        #expect(folder.text("out.bluebonnet-partial") == "")
    }

    @Test(arguments: ["", "{", "[]", "{\"url\":\"http://h/file\"}"])
    func aRecordThatIsNoneIsIgnored(text: String) throws {
        try folder.write("01234", to: "out.bluebonnet-partial")
        try folder.write(text, to: "out.bluebonnet-partial.json")
        #expect(try open().initialRecord == nil)
    }

    @Test func aRecordWithoutBytesIsOfNoUse() throws {
        try folder.write(String(decoding: record.encoded(), as: UTF8.self), to: "out.bluebonnet-partial.json")
        let file = try open()
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
    }

    @Test func theRecordCanBeTakenAway() throws {
        let file = try open()
        try file.setRecord(record)
        #expect(PartialRecord.read(file.path + ".json") == record)
        file.removeRecord()
        #expect(folder.names == ["out.bluebonnet-partial"])
    }

    @Test func aRecordStandsBesideNoOtherBytes() throws {
        try leavePart("01234")
        let file = try PartialFile(destination: folder.path("out"), url: URL(string: "http://h/other"))
        #expect(file.initialRecord == nil)
        #expect(folder.names == ["out.bluebonnet-partial"])
    }

    @Test func aRecordReplacesALongerOne() throws {
        let file = try open()
        let long = PartialRecord(
            requestURL: url, responseURL: url, validator: .entityTag("\"" + String(repeating: "x", count: 500) + "\""),
            totalByteCount: 1
        )
        try file.setRecord(long)
        try file.setRecord(record)
        #expect(PartialRecord.read(file.path + ".json") == record)
    }

    @Test func aRecordTellsNoSecretOfTheURLAndIsForItsOwnerOnly() throws {
        let secret = try #require(URL(string: "http://user:password@h/file?token=secret"))
        let file = try PartialFile(destination: folder.path("out"), url: secret)
        try file.setRecord(
            PartialRecord(requestURL: secret, responseURL: secret, validator: .entityTag("\"v1\""), totalByteCount: 1))
        let text = try #require(folder.text("out.bluebonnet-partial.json"))
        #expect(!text.contains("password") && !text.contains("secret"))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path + ".json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aRecordKeepsWhatItSays() throws {
        for total in [nil, 0, Int64.max] {
            let record = PartialRecord(
                requestURL: url, responseURL: url, validator: .entityTag("\"a\\\u{e9}\""), totalByteCount: total)
            try record.encoded().write(to: folder.file("record"))
            #expect(PartialRecord.read(folder.path("record")) == record)
        }
    }

    @Test func startingAgainDropsEverything() throws {
        let file = try openNamed()
        try write("0123456789", to: file)
        try file.truncate()
        try write("abc", to: file)
        #expect(folder.text("out.bluebonnet-partial") == "abc")
    }

    @Test func theDigestIsThatOfWhatWasWritten() throws {
        let file = try open()
        #expect(try file.digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        try write("abc", to: file)  // FIPS 180-2, appendix B.1
        #expect(try file.digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func theDigestOfALongFileIsReadInPieces() throws {
        let file = try open()
        for piece in 0..<10 { try write(String(repeating: "a", count: 100_000), at: Int64(piece) * 100_000, to: file) }
        // FIPS 180-2, appendix B.3: a million times "a".
        #expect(try file.digest() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}

// MARK: - Files without a name

extension PartialFileTests {
    @Test func aSmallFileHasNoNameBeforeItIsComplete() throws {
        let file = try open()
        try write("abc", to: file)
        #expect(folder.names == [])
        try file.moveIntoPlace()
        #expect(folder.names == ["out"])
        #expect(folder.text("out") == "abc")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("out"))
        let mask = umask(0)
        umask(mask)
        #expect(attributes[.posixPermissions] as? mode_t == 0o666 & ~mask)
    }

    @Test func aSmallFileTakesAnothersPlaceWhenItIsComplete() throws {
        try folder.write("a longer old text", to: "out")
        let file = try open()
        try write("new", to: file)
        #expect(folder.names == ["out"])
        #expect(folder.text("out") == "a longer old text")
        try file.moveIntoPlace()
        #expect(folder.names == ["out"])
        #expect(folder.text("out") == "new")
    }

    @Test func aLinkInPlaceOfTheDestinationIsReplacedAndItsTargetLeftAlone() throws {
        try folder.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(at: folder.file("out"), withDestinationURL: folder.file("target"))
        let file = try open()
        try write("new", to: file)
        try file.moveIntoPlace()
        #expect(folder.text("target") == "precious")
        #expect(throws: (any Error).self) {
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("out"))
        }
        #expect(folder.text("out") == "new")
    }

    @Test(arguments: [true, false]) func replacedFileKeepsItsPermissions(isNamed: Bool) throws {
        try folder.write("secret", to: "out")
        #expect(chmod(folder.path("out"), 0o600) == 0)
        let file = try isNamed ? openNamed() : open()
        try write("new", to: file)
        if isNamed { #expect(try permissions("out.bluebonnet-partial") == 0o600) }
        try file.moveIntoPlace()
        #expect(folder.text("out") == "new")
        #expect(try permissions("out") == 0o600)
    }

    @Test func readOnlyFileStaysReadOnlyAndItsPartCanBeContinued() throws {
        try folder.write("old", to: "out")
        #expect(chmod(folder.path("out"), 0o444) == 0)
        try leavePart("01234")
        #expect(try permissions("out.bluebonnet-partial") == 0o644)
        let file = try open()
        try write("56789", at: 5, to: file)
        try file.moveIntoPlace()
        #expect(folder.text("out") == "0123456789")
        #expect(try permissions("out") == 0o444)
    }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }

    /// One file is made a device's or a pipe's place while it is written.
    @Test func pipeThatAppearsInPlaceOfTheDestinationIsNotReplaced() throws {
        let file = try openNamed()
        try write("new", to: file)
        #expect(mkfifo(folder.path("out"), 0o600) == 0)
        #expect(refusal { try file.moveIntoPlace() } == .cannotWriteFile)
        file.keepOrRemove(canContinue: false)
        #expect(folder.names == ["out"])
    }

    @Test(arguments: [231, 232, 237, 255]) func nameAsLongAsTheFileSystemAllowsIsWritten(byteCount: Int) throws {
        let name = String(repeating: "n", count: byteCount - 2) + "é"
        let path = folder.path(name)
        do {
            let file = try PartialFile(destination: path, url: url)
            try file.setRecord(record)
            try write("01234", to: file)
            file.keepOrRemove(canContinue: true)
        }
        #expect(FileManager.default.fileExists(atPath: RequestOperation.partialFile(of: folder.file(name)).path))
        let file = try PartialFile(destination: path, url: url)
        #expect(file.initialByteCount == 5)
        try write("56789", at: 5, to: file)
        try file.moveIntoPlace()
        #expect(folder.names == [name])
        #expect(folder.text(name) == "0123456789")
    }

    @Test func partialFileOfALongNameIsRemoved() throws {
        let name = String(repeating: "n", count: 250)
        do {
            let file = try PartialFile(destination: folder.path(name), url: url)
            try file.setRecord(record)
            try write("01234", to: file)
            file.keepOrRemove(canContinue: true)
        }
        #expect(folder.names.count == 2)
        RequestOperation.removePartialFile(of: folder.file(name))
        #expect(folder.names == [])
    }

    @Test(arguments: [true, false]) func aSmallFileThatIsGivenUpLeavesNothing(isDropped: Bool) throws {
        do {
            let file = try open()
            try write("abc", to: file)
            if !isDropped { file.keepOrRemove(canContinue: false) }
        }
        #expect(folder.names == [])
    }

    /// A process that was killed with such a file leaves nothing, but one that has a name leaves it.
    @Test func aFileKeepsItsBytesWhenItGetsItsName() throws {
        let file = try open()
        try write("abc", to: file)
        try file.giveName()
        #expect(folder.text("out.bluebonnet-partial") == "abc")
        try file.giveName()
        try write("def", at: 3, to: file)
        #expect(folder.text("out.bluebonnet-partial") == "abcdef")
    }

    /// Another process has begun meanwhile.
    @Test func aNameThatWasTakenMeanwhileIsLeftAlone() throws {
        let file = try open()
        try write("abc", to: file)
        try folder.write("other", to: "out.bluebonnet-partial")
        try folder.write("{}", to: "out.bluebonnet-partial.json")
        #expect(refusal { try file.giveName() } == .cannotOpenFile)
        #expect(refusal { try file.setRecord(record) } == .cannotOpenFile)
        #expect(folder.text("out.bluebonnet-partial") == "other")
        #expect(folder.text("out.bluebonnet-partial.json") == "{}")
        file.keepOrRemove(canContinue: false)
        #expect(folder.names == ["out.bluebonnet-partial", "out.bluebonnet-partial.json"])
    }

    @Test func aNamedFileIsLocked() throws {
        let file = try openNamed()
        let descriptor = Glibc.open(folder.path("out.bluebonnet-partial"), O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == -1)
        file.unlock()
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    @Test func aDestinationIsForOneDownloadOfThisProcess() throws {
        let first = try open()
        #expect(refusal { _ = try open() } == .cannotOpenFile)
        #expect(throws: Never.self) { _ = try PartialFile(destination: folder.path("other"), url: url) }
        try first.moveIntoPlace()
        first.unlock()
        #expect(refusal { _ = try open() } == nil)
        withExtendedLifetime(first) {}
    }

    @Test func aDestinationWithoutAFolderIsInTheCurrentOne() throws {
        let opened = try #require(OpenedPartialFile.nameless(for: "\(UUID().uuidString).bluebonnet-partial"))
        defer { close(opened.descriptor) }
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(opened.descriptor)")
        #expect(link.hasPrefix(FileManager.default.currentDirectoryPath + "/#"))
    }

    /// What is there already is opened by its name.
    @Test func newFileHasNoNameAndAnOldOneKeepsItsOwn() throws {
        let path = folder.path("out.bluebonnet-partial")
        let opened = try #require(OpenedPartialFile.nameless(for: path))
        #expect(!opened.isNamed && opened.byteCount == 0)
        close(opened.descriptor)
        try folder.write("abc", to: "out.bluebonnet-partial")
        #expect(OpenedPartialFile.nameless(for: path) == nil)
        #expect(OpenedPartialFile.nameless(for: folder.path("none/out.bluebonnet-partial")) == nil)
        #expect(OpenedPartialFile.nameless(for: "/proc/self/out.bluebonnet-partial") == nil)  // no O_TMPFILE there
        let named = try #require(try OpenedPartialFile.locked(path, in: nil))
        #expect(named.isNamed && named.byteCount == 3)
        close(named.descriptor)
    }

    /// By the descriptor alone where the kernel allows that; by its path where it does not.
    @Test(arguments: [false, true]) func namelessFileIsLinkedOnlyToAFreeName(isByPath: Bool) throws {
        let path = folder.path("out")
        let opened = try #require(OpenedPartialFile.nameless(for: path))
        defer { close(opened.descriptor) }
        #expect(Glibc.write(opened.descriptor, "abc", 3) == 3)
        let link = isByPath ? bluebonnet_link_by_path : bluebonnet_link
        #expect(link(opened.descriptor, AT_FDCWD, path) == 0)
        #expect(folder.text("out") == "abc")
        #expect(link(opened.descriptor, AT_FDCWD, path) == -1 && errno == EEXIST)
        #expect(link(opened.descriptor, AT_FDCWD, folder.path("none/out")) == -1 && errno == ENOENT)
        #expect(folder.names == ["out"])
    }
}

// MARK: - Refusals

extension PartialFileTests {
    @Test func twoDownloadsDoNotWriteToOneFile() throws {
        let first = try openNamed()
        #expect(refusal { _ = try open() } == .cannotOpenFile)
        try write("abc", to: first)
        #expect(folder.text("out.bluebonnet-partial") == "abc")
    }

    /// As another process would hold it: by the lock alone.
    @Test func aFileThatIsLockedIsNotWrittenTo() throws {
        try folder.write("abc", to: "out.bluebonnet-partial")
        let descriptor = Glibc.open(folder.path("out.bluebonnet-partial"), O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(refusal { _ = try open() } == .cannotOpenFile)
        #expect(folder.text("out.bluebonnet-partial") == "abc")
    }

    @Test func theLockIsGivenBackWithTheLastReference() throws {
        do { _ = try open() }
        #expect(refusal { _ = try open() } == nil)
    }

    @Test func theLockCanBeGivenBackBeforeTheLastReferenceGoes() throws {
        let first = try open()
        first.unlock()
        #expect(refusal { _ = try open() } == nil)
        withExtendedLifetime(first) {}
    }

    @Test func aSymbolicLinkIsRefusedAndItsTargetLeftAlone() throws {
        try folder.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(
            at: folder.file("out.bluebonnet-partial"), withDestinationURL: folder.file("target"))
        #expect(refusal { _ = try open() } == .cannotOpenFile)
        #expect(folder.text("target") == "precious")
    }

    @Test func aSymbolicLinkInPlaceOfTheRecordIsRefusedAndItsTargetLeftAlone() throws {
        try folder.write("precious", to: "target")
        let file = try openNamed()
        try FileManager.default.createSymbolicLink(
            at: folder.file("out.bluebonnet-partial.json"), withDestinationURL: folder.file("target"))
        #expect(refusal { try file.setRecord(record) } == .cannotWriteFile)
        #expect(folder.text("target") == "precious")
    }

    @Test func aPipeIsRefusedWithoutWaiting() {
        #expect(mkfifo(folder.path("out.bluebonnet-partial"), 0o600) == 0)
        #expect(refusal { _ = try open() } == .cannotOpenFile)
    }

    @Test func aFolderIsRefused() throws {
        try FileManager.default.createDirectory(
            at: folder.file("out.bluebonnet-partial"), withIntermediateDirectories: false)
        #expect(refusal { _ = try open() } == .cannotOpenFile)
    }

    @Test func aFolderThatIsNotThereIsAnError() {
        #expect(
            refusal { _ = try PartialFile(destination: folder.path("none/out"), url: url) } == .cannotOpenFile)
    }

    @Test func aDestinationThatIsAFolderCannotBeReplaced() throws {
        try FileManager.default.createDirectory(at: folder.file("out"), withIntermediateDirectories: false)
        #expect(refusal { _ = try open() } == .cannotWriteFile)
    }

    private func refusal(_ body: () throws -> Void) -> NetworkingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NetworkingError)?.code
        }
    }

    private func open() throws -> PartialFile {
        try PartialFile(destination: folder.path("out"), url: url)
    }

    private func openNamed() throws -> PartialFile {
        let file = try open()
        try file.giveName()
        return file
    }

    private func write(_ text: String, at offset: Int64 = 0, to file: PartialFile) throws {
        try Data(text.utf8).withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// What an earlier operation left: bytes and their record.
    private func leavePart(_ text: String) throws {
        let file = try open()
        try file.setRecord(record)
        try write(text, to: file)
        file.keepOrRemove(canContinue: true)
    }
}
