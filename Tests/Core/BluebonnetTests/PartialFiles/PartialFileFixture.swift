// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// A folder in which a test writes the partial file of `out`.
struct PartialFileFixture {
    let folder: ScratchFolder
    let url: URL
    let record: PartialRecord

    init() throws {
        folder = try ScratchFolder()
        url = try #require(URL(string: "http://h/file"))
        record = PartialRecord(requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: 10)
    }

    func open() throws -> PartialFile {
        try PartialFile(destination: folder.path("out"), url: url)
    }

    func openNamed() throws -> PartialFile {
        let file = try open()
        try file.giveName()
        return file
    }

    func write(_ text: String, at offset: Int64 = 0, to file: PartialFile) throws {
        try Data(text.utf8).withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// Leaves what an earlier operation would leave: bytes and their record.
    func leavePart(_ text: String) throws {
        let file = try open()
        try file.setRecord(record)
        try write(text, to: file)
        file.keepOrRemove(canContinue: true)
    }

    /// Opens the partial file of a download into the folder.
    func openInFolder(_ text: String) throws -> PartialFile {
        let output = try OutputFolder(path: folder.path(""), policy: .number)
        return try PartialFile(folder: output, url: try #require(URL(string: text)))
    }

    /// Leaves bytes of a download into the folder, with their record.
    func leavePartInFolder(_ text: String, of url: String) throws {
        try leave(openInFolder(url), with: text, of: url)
    }

    func leave(_ file: PartialFile, with text: String, of url: String) throws {
        let url = try #require(URL(string: url))
        try file.setRecord(
            PartialRecord(requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: 10))
        try write(text, to: file)
        file.keepOrRemove(canContinue: true)
    }

    /// The code of the error that `body` throws; nil if it succeeds.
    static func refusal(_ body: () throws -> Void) -> NetworkingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NetworkingError)?.code
        }
    }
}
