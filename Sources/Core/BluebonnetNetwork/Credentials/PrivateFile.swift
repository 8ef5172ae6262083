// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Reads and writes files that contain secrets, which only their owner may read and write. All functions block.
package enum PrivateFile {
    private static let byteLimit = 1 << 20

    /// Reads a file of at most 1 MiB.
    ///
    /// - Parameter mayBeReadByOthers: whether other users may read the file. A file that other users may write is never
    ///   accepted.
    /// - Throws: `cannotOpenFile` if the file does not exist, if other users may use it, if it is too large, or if it
    ///   is not UTF-8. The message names the file and contains no part of its text.
    package static func text(
        ofFile path: String, mayBeReadByOthers: Bool = false
    ) throws(NetworkingError) -> String {
        func failure(_ text: String, _ underlying: (any Error)? = nil) -> NetworkingError {
            NetworkingError(.cannotOpenFile, "cannot read \(path): \(text)", underlying: underlying)
        }
        guard !path.isEmpty, !path.hasByte(0) else { throw failure("it is not the path of a file") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("check that it exists and is readable", POSIXError.last) }
        defer { close(descriptor) }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0, file.is_regular else {
            throw failure("it is not a regular file")
        }
        guard file.permissions & (mayBeReadByOthers ? 0o022 : 0o077) == 0 else {
            throw failure("other users have access to it; run chmod 600 \(path)")
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

    /// Returns the path of the file that a symbolic link leads to. Returns the path itself if it is not a link or does
    /// not exist.
    static func resolved(_ path: String) -> String {
        guard !path.hasByte(0), let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Creates or replaces a file, with mode 0600. Readers see either the old or the new contents. The new contents are
    /// on disk when the function returns. A symbolic link is kept, and the file that it leads to is replaced.
    ///
    /// - Parameter isAlone: whether no other writer replaces the file at the same time. The new contents are then first
    ///   written to a file with a fixed name, so that an interrupted call leaves no file permanently.
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
        guard descriptor >= 0 else { throw failure("create a temporary file for", path) }
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

    /// Removes a regular file if it exists. For a symbolic link, removes the file that it leads to.
    ///
    /// - Throws: `cannotWriteFile`.
    static func remove(_ path: String) throws(NetworkingError) {
        let target = resolved(path)
        try ExistingFile.checkReplaceable(target)
        guard unlink(target) == 0 || errno == ENOENT else { throw failure("remove", path) }
        synchronizeFolder(of: target)
    }

    /// Syncs a new entry of a folder to disk. Failure is not an error, because the file has its new contents.
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
