// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetTestServer
import Foundation
import Glibc

/// A file system of one MiB in memory, for tests of full disks.
public struct SmallFileSystem: Sendable {
    /// The mount point.
    public let folder: TemporaryFolder

    /// Whether a file system can be mounted: only root may, and in most containers not even root.
    public static let isAvailable: Bool = {
        guard geteuid() == 0, let system = try? SmallFileSystem() else { return false }
        system.remove()
        return true
    }()

    /// Mounts a file system.
    public init() throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.url.path, "tmpfs", 0, "size=1m") == 0 else {
            let error = POSIXErrorCode(rawValue: errno) ?? .EPERM
            folder.remove()
            throw POSIXError(error)
        }
    }

    /// Unmounts the file system and deletes its contents.
    public func remove() {
        umount2(folder.url.path, CInt(MNT_DETACH))
        folder.remove()
    }

    /// Makes the file system read-only.
    ///
    /// - Throws: `EBUSY` if a file is open for writing.
    public func makeReadOnly() throws {
        guard mount("tmpfs", folder.url.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=1m") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }

    /// Enlarges the file system.
    public func grow(toMebibytes count: Int) throws {
        guard mount("tmpfs", folder.url.path, "tmpfs", UInt(MS_REMOUNT), "size=\(count)m") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }
}
