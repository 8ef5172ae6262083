// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import GRDB
internal import Glibc

/// Why a folder cannot be used as a cache, in words. A full disk is told apart from other reasons: a program may then
/// continue without the cache.
struct FolderFailure {
    let error: NetworkingError

    /// The space that the index needs to be opened, in bytes.
    private static let neededByteCount: UInt64 = 128 * 1024

    init(_ reason: any Error, in folder: String) {
        let isFull = Self.meansFull(reason, in: folder)
        let text: String =
            switch reason {
            case _ where isFull: "no space is left on the disk"
            case is FolderIndex.NewerVersion: "it was made by a newer version of Bluebonnet"
            case let reason as POSIXError: String(cString: strerror(reason.code.rawValue))
            case let reason as DatabaseError: reason.message ?? "\(reason)"
            default: "\(reason)"
            }
        error = NetworkingError(
            .cannotOpenFile, "the cache \(folder) cannot be opened: \(text)",
            underlying: isFull ? POSIXError(.ENOSPC) : reason)
    }

    /// Whether the disk is full. SQLite calls it an input/output error if the file that it shares with other processes
    /// cannot grow.
    private static func meansFull(_ reason: any Error, in folder: String) -> Bool {
        if let reason = reason as? POSIXError { return reason.code == .ENOSPC || reason.code == .EDQUOT }
        guard let reason = reason as? DatabaseError else { return false }
        if reason.resultCode == .SQLITE_FULL { return true }
        var status = statvfs()
        guard [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(reason.resultCode), statvfs(folder, &status) == 0 else {
            return false
        }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < neededByteCount
    }
}
