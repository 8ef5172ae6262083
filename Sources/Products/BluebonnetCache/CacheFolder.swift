// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import CLinux
internal import Foundation
internal import Glibc

/// The folder of a cache: the names of its files, and whether they may be changed.
struct CacheFolder: Sendable {
    /// The folder has a file that no cache has made.
    struct ForeignFile: Error { let name: String }

    private static let (bodies, incoming, index) = ("bodies", "incoming", "index.sqlite")
    /// What SQLite appends to the name of the index for its log and for the memory that processes share.
    private static let (logSuffix, sharedSuffix) = ("-wal", "-shm")
    /// The names in the folder of a cache before its index is made, and what a new file system has.
    private static let ownNames: Set = [
        bodies, incoming, index + logSuffix, index + sharedSuffix, index + "-journal", "lost+found",
    ]

    let path: String
    /// Whether nothing in the folder is changed: the file system is read-only, or permission to write is missing for
    /// the folder, its subfolders or its index. A mode without the owner's permission counts for the superuser, too.
    let isReadOnly: Bool

    /// The folder of complete bodies.
    var bodies: String { "\(path)/\(Self.bodies)" }
    /// The folder of bodies that are being written.
    var incoming: String { "\(path)/\(Self.incoming)" }
    var index: String { "\(path)/\(Self.index)" }
    /// The changes of the index that are not in its file yet.
    var indexLog: String { index + Self.logSuffix }
    /// The memory in which processes that use the index at the same time find the log's contents.
    var sharedIndexMemory: String { index + Self.sharedSuffix }

    /// Prepares a folder. Blocks.
    ///
    /// - Throws: `ForeignFile` before anything is changed, if the folder has other files and no index.
    init(_ folder: URL) throws {
        let path = folder.path
        self.path = path
        try Self.make(path)
        guard let directory = opendir(path) else { throw POSIXError.last }
        closedir(directory)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let hasIndex = names.contains(Self.index)
        if !hasIndex, let name = names.filter({ !Self.ownNames.contains($0) }).min() { throw ForeignFile(name: name) }
        let parts = ["", Self.bodies, Self.incoming, Self.index].map { "\(path)/\($0)" }
        isReadOnly = hasIndex && !parts.allSatisfy(Self.canBeWritten)
        if isReadOnly {
            guard access(index, R_OK) == 0 else { throw POSIXError.last }
        } else {
            for folder in [bodies, incoming] { try Self.make(folder) }
            guard Self.mode(of: path) == 0o700 || chmod(path, 0o700) == 0 else { throw POSIXError.last }
        }
    }

    private static func make(_ folder: String) throws {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw POSIXError.last }
    }

    /// Whether a file may be changed, or is missing.
    private static func canBeWritten(_ path: String) -> Bool {
        guard access(path, W_OK) == 0 else { return errno == ENOENT }
        return mode(of: path).map { $0 & 0o200 != 0 } ?? true
    }

    private static func mode(of path: String) -> UInt32? {
        var file = bluebonnet_file()
        return bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 ? file.permissions : nil
    }
}
