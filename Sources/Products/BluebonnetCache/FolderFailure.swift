// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import GRDB
internal import Glibc

/// Why a folder cannot be used as a cache, in words. If the disk is full or fails, the error says so: a program may
/// then continue without the cache.
struct FolderFailure {
    let error: NetworkingError

    /// The space that the index needs to be opened, in bytes.
    private static let neededByteCount: UInt64 = 128 * 1024

    init(_ reason: any Error, in folder: String) {
        let disk = Self.diskFailure(reason, in: folder)
        let text: String =
            switch reason {
            case _ where disk?.code == .ENOSPC: "no space is left on the disk"
            case is FolderIndex.NewerVersion: "it was made by a newer version of Bluebonnet"
            case is FolderIndex.IncompleteIndex:
                "it cannot be written, and the last process has not closed its index: open it once where it can be written"
            case let reason as CacheFolder.ForeignFile:
                "it has files of others, such as \"\(reason.name)\": name an empty folder, or one for caches only"
            case let reason as POSIXError: String(cString: strerror(reason.code.rawValue))
            case let reason as DatabaseError: reason.message ?? "\(reason)"
            default: "\(reason)"
            }
        error = NetworkingError(
            .cannotOpenFile, "the cache \(folder) cannot be opened: \(text)", underlying: disk ?? reason)
    }

    /// Returns `ENOSPC` or `EIO` if the disk is the reason. SQLite reports an input/output error if the file that it
    /// shares with other processes cannot grow.
    private static func diskFailure(_ reason: any Error, in folder: String) -> POSIXError? {
        if let reason = reason as? POSIXError {
            return switch reason.code {
            case .ENOSPC, .EDQUOT: POSIXError(.ENOSPC)
            case .EIO, .EFBIG: POSIXError(.EIO)
            default: nil
            }
        }
        switch (reason as? DatabaseError)?.resultCode {
        case .SQLITE_FULL?: return POSIXError(.ENOSPC)
        case .SQLITE_IOERR?: return POSIXError(isFull(folder) ? .ENOSPC : .EIO)
        case .SQLITE_CANTOPEN? where isFull(folder): return POSIXError(.ENOSPC)
        default: return nil
        }
    }

    private static func isFull(_ folder: String) -> Bool {
        var status = statvfs()
        return statvfs(folder, &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) < neededByteCount
    }
}
