// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// A lock of this process on a file, released when the object is deallocated.
package final class FileLock: Sendable {
    private let descriptor: CInt

    /// Acquires the lock. Returns nil if another holder has it.
    ///
    /// - Throws: `cannotOpenFile` if the file can neither be opened nor created, or if it cannot be locked at all.
    init?(_ path: String) throws(NetworkingError) {
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw NetworkingError(.cannotOpenFile, "cannot open the lock file \(path)", underlying: POSIXError.last)
        }
        descriptor = opened
        switch Self.acquire(opened) {
        case 0: return
        case EWOULDBLOCK: return nil
        default:
            throw NetworkingError(.cannotOpenFile, "cannot lock the lock file \(path)", underlying: POSIXError.last)
        }
    }

    deinit { close(descriptor) }

    /// Acquires the lock (flock) of an open file. The lock ends when the descriptor is closed.
    ///
    /// - Parameter tryCount: the number of attempts, with pauses of 10 ms. Default 1.
    /// - Returns: 0 if the lock is acquired, `EWOULDBLOCK` if another holder has it, or why the file cannot be locked.
    package static func acquire(_ descriptor: CInt, tryCount: Int = 1) -> CInt {
        var problem: CInt = 0
        for attempt in 1...tryCount {
            if attempt > 1 { usleep(10_000) }
            repeat { problem = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno } while problem == EINTR
            guard problem == EWOULDBLOCK else { break }
        }
        return problem
    }
}
