// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// Keeps a second run from a journal, in this process and in others: a locked file beside it, which the kernel unlocks
/// when its process ends, however it does.
final class JournalLock: Sendable {
    private let path: String
    private let descriptor: Mutex<CInt?>

    /// Locks the journal at a path.
    ///
    /// - Throws: `inUse`, or why there can be no lock.
    init(journal: String) throws(JournalError) {
        path = Self.path(of: journal)
        descriptor = Mutex(try Self.locked(path, journal))
    }

    /// Whether a run has the journal at a path.
    static func isHeld(journal: String) -> Bool {
        let file = open(path(of: journal), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Unlocks the journal, and takes the file away.
    func release() {
        descriptor.withLock { descriptor in
            guard let file = descriptor else { return }
            unlink(path)
            close(file)
            descriptor = nil
        }
    }

    deinit { release() }

    private static func path(of journal: String) -> String { journal + "-lock" }

    private static func locked(_ path: String, _ journal: String) throws(JournalError) -> CInt {
        while true {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { throw failure("cannot create \(path)") }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let error = errno
                defer { close(file) }
                guard error == EWOULDBLOCK else { throw failure("cannot lock \(path)", error) }
                let other = process(in: file).map { " by process \($0)" } ?? " by another run"
                throw JournalError(.inUse, "the journal \(journal) is in use\(other)")
            }
            if isStillThere(file, path) {
                let text = Array("\(getpid())\n".utf8)
                // The number is for the message only: a full disk may keep it away.
                if ftruncate(file, 0) == 0 { _ = pwrite(file, text, text.count, 0) }
                return file
            }
            close(file)  // its owner took it away meanwhile
        }
    }

    private static func isStillThere(_ file: CInt, _ path: String) -> Bool {
        var (open, named) = (bluebonnet_file(), bluebonnet_file())
        return bluebonnet_look_at(file, &open) == 0 && bluebonnet_look_at_path(AT_FDCWD, path, &named) == 0
            && open.inode == named.inode
    }

    private static func process(in file: CInt) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static func failure(_ words: String, _ number: CInt = errno) -> JournalError {
        let code: JournalError.Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .notWritable
            default: .unavailable
            }
        return JournalError(code, "\(words): \(String(cString: strerror(number)))")
    }
}
