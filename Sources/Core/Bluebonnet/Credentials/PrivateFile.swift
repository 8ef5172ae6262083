// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Files that hold secrets: only their owner may read and write them. All functions block.
package enum PrivateFile {
    private static let byteLimit = 1 << 20

    /// Reads a file of at most 1 MiB.
    ///
    /// - Parameter mayBeReadByOthers: whether others may read it; that they may write it is refused in any case.
    /// - Throws: `cannotOpenFile` when there is no such file, when anybody but its owner may use it, when it is too
    ///   large, and when it is not UTF-8; the message names the file and has none of its text.
    package static func text(
        ofFile path: String, mayBeReadByOthers: Bool = false
    ) throws(NetworkingError) -> String {
        func failure(_ text: String, _ underlying: (any Error)? = nil) -> NetworkingError {
            NetworkingError(.cannotOpenFile, "cannot read \(path): \(text)", underlying: underlying)
        }
        guard !path.isEmpty, !path.hasByte(0) else { throw failure("it is not the path of a file") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("does it exist, and may it be read?", POSIXError.last) }
        defer { close(descriptor) }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0, file.is_regular else {
            throw failure("it is not a regular file")
        }
        guard file.permissions & (mayBeReadByOthers ? 0o022 : 0o077) == 0 else {
            throw failure("others than its owner may use it; run chmod 600 \(path)")
        }
        guard file.byte_count <= byteLimit else { throw failure("it is larger than 1 MiB") }
        var bytes = [UInt8](repeating: 0, count: Int(file.byte_count))
        var count = 0
        while count < bytes.count {
            let added = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { read(descriptor, $0 + count, buffer.count - count) } ?? 0
            }
            if added < 0 && errno == EINTR { continue }
            guard added >= 0 else { throw failure("reading it failed", POSIXError.last) }
            if added == 0 { break }
            count += added
        }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw failure("it is not UTF-8")
        }
        return text
    }

    /// The path of the file that a symbolic link leads to; the path itself for any other file, and for none.
    static func resolved(_ path: String) -> String {
        guard !path.hasByte(0), let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Replaces a file, or makes it, with mode 0600: readers see the old contents or the new ones. The new contents are
    /// on the disk then. A symbolic link stays, and the file that it leads to is replaced.
    ///
    /// - Parameter isAlone: whether nobody else replaces the file meanwhile: then the new contents are written to a
    ///   file of a fixed name first, so that an interrupted call leaves nothing behind for good.
    /// - Throws: `cannotWriteFile`.
    static func replace(_ path: String, with data: Data, isAlone: Bool = false) throws(NetworkingError) {
        guard !path.isEmpty, !path.hasByte(0) else {
            throw NetworkingError(.cannotWriteFile, "\(RequestCheck.shown(path)) is not the path of a file")
        }
        let target = resolved(path)
        try ExistingFile.checkReplaceable(target)
        let temporary = "\(target).\(isAlone ? "new" : UUID().uuidString)"
        if isAlone { unlink(temporary) }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create a file beside", path) }
        var isDone = false
        defer {
            close(descriptor)
            if !isDone { unlink(temporary) }
        }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("write", path) }
            rest = rest.dropFirst(count)
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { throw failure("write", path) }
        guard rename(temporary, target) == 0 else { throw failure("replace", path) }
        isDone = true
        synchronizeFolder(of: target)
    }

    /// Removes a regular file, if there is one; of a symbolic link the file that it leads to.
    ///
    /// - Throws: `cannotWriteFile`.
    static func remove(_ path: String) throws(NetworkingError) {
        let target = resolved(path)
        try ExistingFile.checkReplaceable(target)
        guard unlink(target) == 0 || errno == ENOENT else { throw failure("remove", path) }
        synchronizeFolder(of: target)
    }

    /// Makes a new entry of a folder lasting. Not an error where that is not possible: the file has its new contents.
    private static func synchronizeFolder(of path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ text: String, _ path: String) -> NetworkingError {
        NetworkingError(.cannotWriteFile, "cannot \(text) \(path)", underlying: POSIXError.last)
    }
}

/// A lock that a process holds on a file, as long as the object lives.
final class FileLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock; nil when another holder has it.
    ///
    /// - Throws: `cannotOpenFile` when the file can neither be opened nor made, and when it cannot be locked at all.
    init?(_ path: String) throws(NetworkingError) {
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw NetworkingError(.cannotOpenFile, "cannot open the lock file \(path)", underlying: POSIXError.last)
        }
        descriptor = opened
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default:
                throw NetworkingError(
                    .cannotOpenFile, "cannot lock the lock file \(path)", underlying: POSIXError.last)
            }
        }
    }

    deinit { close(descriptor) }
}
