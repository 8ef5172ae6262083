// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// A partial file as it was opened; locked if it has its name.
struct OpenedPartialFile {
    let descriptor: CInt
    let byteCount: Int64
    let isNamed: Bool

    /// Whether a file without a name can be given one, which requires the kernel's list of open files.
    private static let canGiveNames = access("/proc/self/fd", X_OK) == 0

    static func inUse(_ path: String) -> NetworkingError {
        NetworkingError(.cannotOpenFile, "cannot write \(path): another download is writing to it")
    }

    /// Opens a file without a name in the folder of a partial file. Returns nil if a partial file exists, or if the
    /// file system or folder does not allow it (no O_TMPFILE, no permission to write): `locked` then returns the file
    /// or throws the error.
    static func nameless(for path: String) -> OpenedPartialFile? {
        var file = bluebonnet_file()
        guard canGiveNames, bluebonnet_look_at_path(AT_FDCWD, path, &file) != 0, errno == ENOENT else { return nil }
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let descriptor = bluebonnet_open_nameless(end.map { String(path[...$0]) } ?? ".")
        guard descriptor >= 0 else { return nil }
        return OpenedPartialFile(descriptor: descriptor, byteCount: 0, isNamed: false)
    }

    /// Opens and locks the file. Returns nil if another download has the lock. An earlier writer may move the file into
    /// place after it is opened and before it is locked. The lock is then on a file that has another name, and both
    /// steps are repeated.
    static func locked(_ name: String, in folder: OutputFolder?) throws(NetworkingError) -> OpenedPartialFile? {
        let base = folder?.descriptor ?? AT_FDCWD
        let path = folder.map { "\($0.path)/\(name)" } ?? name
        for _ in 0..<100 {
            let opened = openat(base, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
            guard opened >= 0 else {
                throw NetworkingError(
                    .cannotOpenFile, "cannot create \(path): check that its folder exists and is writable",
                    underlying: POSIXError.last)
            }
            var file = bluebonnet_file()
            var named = bluebonnet_file()
            guard bluebonnet_look_at(opened, &file) == 0, file.is_regular else {
                close(opened)
                throw NetworkingError(.cannotOpenFile, "cannot write \(path): it is not a regular file")
            }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                close(opened)
                return nil
            }
            if bluebonnet_look_at_path(base, name, &named) == 0, named.inode == file.inode {
                // The size after locking.
                return OpenedPartialFile(descriptor: opened, byteCount: named.byte_count, isNamed: true)
            }
            close(opened)
        }
        throw NetworkingError(.cannotOpenFile, "cannot write \(path): other downloads replaced it repeatedly")
    }

    /// Opens a file that no other download uses, under a name made from the URL. The file is the partial file of an
    /// earlier download of the URL, or of the URL with another signature in its query, or a new file.
    static func unused(
        of url: URL, in folder: OutputFolder
    ) throws(NetworkingError) -> (file: OpenedPartialFile, destination: String) {
        let resource = ".\(PartialRecord.resourceDigest(of: url).prefix(32))."
        let own = resource + PartialRecord.digest(of: url).prefix(32)
        if let found = try continuable(by: url, resource, own, in: folder) { return found }
        for number in 1...1000 {
            let destination = own + (number == 1 ? "" : "-\(number)")
            if let file = try locked(PartialFile.partialPath(of: destination), in: folder) {
                return (file, destination)
            }
        }
        throw NetworkingError(.cannotOpenFile, "1000 downloads of this URL are already writing to \(folder.path)")
    }

    /// The query parameters in which storage services sign a URL.
    private static let signatures: Set<String> = ["x-amz-signature", "x-goog-signature", "signature", "sig"]

    /// Whether the query has a signature, so that a URL with another query may be the same resource.
    private static func hasSignature(_ url: URL) -> Bool {
        guard let query = url.query else { return false }
        return query.split(separator: "&").contains { parameter in
            signatures.contains(parameter.prefix { $0 != "=" }.lowercased())
        }
    }

    /// Returns a partial file of the same resource with another signature; nil without such a file, or if the URL has
    /// its own partial file.
    private static func continuable(
        by url: URL, _ resource: String, _ own: String, in folder: OutputFolder
    ) throws(NetworkingError) -> (file: OpenedPartialFile, destination: String)? {
        guard hasSignature(url), !PartialRecord.isThere(PartialFile.partialPath(of: own), in: folder.descriptor) else {
            return nil
        }
        for name in folder.names where name.hasPrefix(resource) && name.hasSuffix(PartialFile.suffix) {
            let record = PartialRecord.read(PartialFile.recordPath(of: name), in: folder.descriptor)
            guard record?.canBeContinued(by: url) == true, let file = try locked(name, in: folder) else { continue }
            return (file, String(name.dropLast(PartialFile.suffix.count)))
        }
        return nil
    }
}
