// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Glibc

/// A file that an option names and that is written at once, at the end of a run: readers see either the old or the new
/// contents. An existing file keeps its permissions, and a symbolic link is followed. Devices and pipes are written to.
struct ReplacedFile: Sendable {
    /// The option, and the path as given.
    let option, path: String
    /// The permissions of a new file, before the process's mask.
    var permissions: mode_t = 0o666

    /// Checks that the file can be written.
    ///
    /// - Parameters:
    ///   - others: files that must not be overwritten, with the words that name them in an error.
    ///   - isWritten: false for a file that the run only reads.
    func check(others: [(FileStatus, String)], isWritten: Bool = true) throws(CommandError) {
        let target = target
        if let status = FileStatus(path: target) {
            if let other = others.first(where: { status.isRegularFile && status.isSameFile(as: $0.0) })?.1 {
                throw error("it is \(other)")
            }
            if status.isFolder { throw error(SystemError(code: EISDIR)) }
            if !status.isRegularFile { return }
        }
        guard isWritten else { return }
        guard access(folder(of: target), W_OK | X_OK) == 0 else { throw error(SystemError.latest) }
    }

    /// Writes the file.
    ///
    /// - Parameter body: writes the contents to a descriptor.
    func write(_ body: (FileDescriptor) throws(SystemError) -> Void) throws(CommandError) {
        do throws(SystemError) {
            let target = target
            let status = FileStatus(path: target)
            if let status, !status.isRegularFile {
                let file = try FileDescriptor(opening: target, O_WRONLY)
                defer { close(file.rawValue) }
                try body(file)
            } else {
                try replace(target, keeping: status?.permissions, body)
            }
        } catch {
            throw self.error(error)
        }
    }

    /// Calls `body` while no other process does the same for a file of this folder, so that a file that is read and
    /// then written loses no change. The lock (flock) is on the folder, because the file itself is replaced. On a file
    /// system without such locks, nothing is locked.
    func whileLocked(_ body: () throws(CommandError) -> Void) throws(CommandError) {
        let number = open(folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw error(SystemError.latest) }
        defer { close(number) }  // this unlocks the folder, too
        // Five seconds in all.
        guard FileLock.acquire(number, tryCount: 500) != EWOULDBLOCK else {
            throw error("another process has locked its folder")
        }
        try body()
    }

    private func replace(
        _ target: String, keeping kept: UInt32?, _ body: (FileDescriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = "\(target).\(UUID().uuidString)"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard number >= 0 else { throw .latest }
        var isDone = false
        defer {
            close(number)
            if !isDone { unlink(temporary) }
        }
        if let kept, fchmod(number, mode_t(kept)) != 0 { throw .latest }
        try body(FileDescriptor(number))
        guard fsync(number) == 0, rename(temporary, target) == 0 else { throw .latest }
        isDone = true
        synchronize(folder(of: target))
    }

    /// The path without symbolic links; the path itself if there is no file.
    private var target: String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private func folder(of target: String) -> String {
        guard let slash = target.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }

    /// Syncs the new entry of a folder to disk. A failure is ignored, because the file already has its new contents.
    private func synchronize(_ folder: String) {
        let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        fsync(number)
        close(number)
    }

    private func error(_ reason: some CustomStringConvertible) -> CommandError {
        .unusable("cannot write \(path) for \(option): \(reason)")
    }
}
