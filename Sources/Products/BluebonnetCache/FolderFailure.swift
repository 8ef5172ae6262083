// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import GRDB
internal import Glibc

/// Why a folder cannot be opened as a cache, or cannot be written, in words. If the disk is full or fails, the error
/// says so: a program may then continue without the cache.
struct FolderFailure {
    let error: NetworkingError

    /// The space that the index needs to be opened, in bytes.
    private static let neededByteCount: UInt64 = 128 * 1024

    init(_ reason: any Error, opening folder: String) {
        let disk = Self.diskFailure(reason, in: folder)
        error = NetworkingError(
            .cannotOpenFile, "the cache \(folder) cannot be opened: \(Self.text(of: reason, disk))",
            underlying: disk ?? reason)
    }

    /// Returns nil if the reason is not the folder or its disk: another process may use the index for too long.
    init?(_ reason: any Error, writing folder: String) {
        switch reason {
        case is POSIXError: break
        case let reason as DatabaseError where !Self.isBusy(reason): break
        default: return nil
        }
        let disk = Self.diskFailure(reason, in: folder)
        error = NetworkingError(
            .cannotWriteFile, "the cache \(folder) cannot be written: \(Self.text(of: reason, disk))",
            underlying: disk ?? reason)
    }

    private static func isBusy(_ reason: DatabaseError) -> Bool {
        switch reason.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT: true
        default: false
        }
    }

    private static func text(of reason: any Error, _ disk: POSIXError?) -> String {
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
