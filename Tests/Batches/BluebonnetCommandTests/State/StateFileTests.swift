// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
import BluebonnetTestServer
import Dispatch
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct StateFileTests {
    private func permissions(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func absentFileHasNoMembers() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(try StateFile(path: folder.path("none")).members.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }

    @Test(arguments: [
        ("", "is empty: remove it, or write {} to it"), ("x", "is not JSON: "), ("{\"a\":1", "is not JSON: "),
        ("[1,2]", "must contain a JSON object, but contains an array of 2"),
        ("3", "must contain a JSON object, but contains a number"), ("\u{FEFF}\u{FEFF}{}", "is not JSON: "),
    ])
    func contentThatIsNoObjectIsRefused(_ text: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("state.json", text)
        let error = try #require(throws: CommandError.self) { try StateFile(path: path) }
        #expect(error.message.hasPrefix("Error: the file of --state, \(path), \(reason)"))
    }

    @Test func unreadablePathIsNamed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("")
        #expect(throws: CommandError.unusable("cannot read \(path) for --state: Is a directory")) {
            try StateFile(path: path)
        }
    }

    @Test(arguments: ["/dev/full", "/dev/null", "/dev/zero"]) func deviceIsRefused(path: String) {
        #expect(throws: CommandError.unusable("cannot use \(path) for --state: it is not a regular file")) {
            try StateFile(path: path)
        }
    }

    @Test func changesAreMadeInTheFileAsItIsThen() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("state", #"{"a":1,"b":1}"#)
        let (first, second) = (try StateFile(path: path), try StateFile(path: path))
        for (file, name) in [(first, "a"), (second, "b")] {
            try file.update { members throws(CommandError) in
                var changed = members
                changed[name] = 2
                return changed
            }
        }
        #expect(try StateFile(path: path).members == ["a": 2, "b": 2])
    }

    @Test func manyChangesAtOnceLoseNone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("state")
        let file = try StateFile(path: path)
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            do throws(CommandError) {
                try file.update { members throws(CommandError) in
                    var changed = members
                    changed["\(number)"] = 1
                    return changed
                }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(try StateFile(path: path).members.names.count == 8)
    }

    @Test func newFileIsReadableByItsOwnerOnly() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try StateFile(path: folder.path("a")).write(["since": 7, "a": "b"])
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == #"{"a":"b","since":7}"# + "\n")
        #expect(try permissions(folder.path("a")) == 0o600)
        #expect(try StateFile(path: folder.path("a")).members == ["since": 7, "a": "b"])
    }

    @Test func existingFileKeepsPermissionsAndLink() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("a", "{}")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
        try StateFile(path: folder.path("link")).write(["a": 1])
        #expect(try permissions(path) == 0o640)
        #expect(try StateFile(path: path).members == ["a": 1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["a", "link"])
    }
}
