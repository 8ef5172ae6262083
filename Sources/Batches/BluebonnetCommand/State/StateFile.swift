// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation
import Glibc

/// The file of `--state`: a JSON object. Lines refer to its members.
struct StateFile: Sendable {
    let path: String
    /// The members at the start of the run.
    let members: JSONObject

    /// Reads the file. A file that does not exist has no members.
    init(path: String) throws(CommandError) {
        self.path = path
        members = try Self.members(of: path)
    }

    /// The file, as it is written at the end: a new one is readable by its owner only.
    var file: ReplacedFile { ReplacedFile(option: "--state", path: path, permissions: 0o600) }

    /// Changes the members that the file has now: another run may have written some since this one has read them.
    ///
    /// - Parameter change: returns the new members. No other run writes the file meanwhile.
    func update(_ change: (JSONObject) throws(CommandError) -> JSONObject) throws(CommandError) {
        try file.whileLocked { () throws(CommandError) in try write(try change(try Self.members(of: path))) }
    }

    private static func members(of path: String) throws(CommandError) -> JSONObject {
        // Anything but a file could not be replaced, and reading it might never end.
        if let status = FileStatus(path: path), !status.isRegularFile, !status.isFolder {
            throw .unusable("cannot use \(path) for --state: it is not a regular file")
        }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try Self.bytes(of: path)
        } catch {
            throw .unusable("cannot read \(path) for --state: \(error)")
        }
        return try object(in: bytes, path)
    }

    /// Replaces the file by one with these members. Readers see either the old or the new contents.
    func write(_ members: JSONObject) throws(CommandError) {
        let text = JSONText.text(of: .object(members)) + "\n"
        try file.write { file throws(SystemError) in
            var bytes = Array(text.utf8)[...]
            try file.write(&bytes)
        }
    }

    /// Returns the contents; nil if there is no file.
    private static func bytes(of path: String) throws(SystemError) -> [UInt8]? {
        let file: FileDescriptor
        do throws(SystemError) {
            // Opening a pipe without a writer would block.
            file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        defer { close(file.rawValue) }
        if try file.status.isFolder { throw SystemError(code: EISDIR) }
        var bytes: [UInt8] = []
        while true {
            let part = try file.read(upTo: 64 << 10)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }

    private static func object(in bytes: [UInt8]?, _ path: String) throws(CommandError) -> JSONObject {
        guard let bytes else { return JSONObject() }
        guard !bytes.isEmpty else {
            throw .unusable("the file of --state, \(path), is empty: remove it, or write {} to it")
        }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: Data(bytes))
        } catch {
            throw .unusable("the file of --state, \(path), is not JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw .unusable("the file of --state, \(path), must contain a JSON object, but contains \(value.kind)")
        }
        return members
    }
}
