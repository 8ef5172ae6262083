// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

/// Prevents a second run with a journal, in this process and in others. The lock (flock) is on the journal's file
/// itself, so it works whatever path leads to the file. The kernel releases the lock when the process ends, however it
/// ends.
///
/// SQLite's own locks belong to the process: they are lost when any descriptor of the file is closed. So the
/// descriptor is opened before SQLite opens the file and closed after SQLite has closed it, and a file that this
/// process has locked is not opened again here.
final class JournalLock: Sendable {
    /// The identity of a file, whatever its name.
    private struct File: Hashable {
        let device: Int
        let number: Int
    }

    /// The files that this process has locked.
    private static let lockedFiles = Mutex<Set<File>>([])

    /// The journal's path without symbolic links.
    let path: String
    private let file: File
    private let descriptor: Mutex<CInt?>

    /// Locks the journal at a path. A missing file is created, with access for its owner only.
    ///
    /// - Throws: `inUse`, `notAJournal` if the path is not a regular file, or why the file cannot be locked.
    init(journal: String) throws(JournalError) {
        let locked = try Self.lockedFiles.withLock { lockedFiles throws(JournalError) in
            if let file = Self.file(at: journal)?.file, lockedFiles.contains(file) {
                throw Self.inUse(journal, getpid())
            }
            let locked = try Self.locked(journal)
            lockedFiles.insert(locked.file)
            return locked
        }
        (path, file) = (locked.path, locked.file)
        descriptor = Mutex(locked.descriptor)
    }

    /// Whether a run has locked the journal at a path.
    static func isLocked(journal: String) -> Bool {
        lockedFiles.withLock { lockedFiles in
            guard let found = file(at: journal) else { return false }
            if lockedFiles.contains(found.file) { return true }
            let descriptor = open(found.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
        }
    }

    /// Returns the first bytes of a journal's file, at most 100; nil if the file cannot be read, or if this process
    /// has locked it.
    static func header(ofUnlocked journal: String) -> [UInt8]? {
        lockedFiles.withLock { lockedFiles in
            guard let found = file(at: journal), !lockedFiles.contains(found.file) else { return nil }
            let descriptor = open(found.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return header(descriptor)
        }
    }

    /// The first bytes of the journal's file, at most 100.
    var header: [UInt8] { descriptor.withLock { $0.map(Self.header) } ?? [] }

    /// Restricts an existing file to its owner, because it will contain parts of responses.
    func restrictToOwner() {
        descriptor.withLock { if let open = $0 { _ = fchmod(open, 0o600) } }
    }

    /// Unlocks the journal. SQLite must have closed it.
    func release() {
        Self.lockedFiles.withLock { lockedFiles in
            let open = descriptor.withLock { descriptor in
                defer { descriptor = nil }
                return descriptor
            }
            guard let open else { return }
            close(open)
            lockedFiles.remove(file)
        }
    }

    deinit { release() }
}

extension JournalLock {
    /// Returns the path without symbolic links; nil if the file does not exist.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func file(at path: String) -> (path: String, file: File, linkCount: Int)? {
        guard let path = resolved(path), let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let device = (attributes[.systemNumber] as? NSNumber)?.intValue,
            let number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
        else { return nil }
        let linkCount = (attributes[.referenceCount] as? NSNumber)?.intValue ?? 1
        return (path, File(device: device, number: number), linkCount)
    }

    private static func locked(_ journal: String) throws(JournalError) -> (path: String, file: File, descriptor: CInt) {
        while true {
            let descriptor = open(journal, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw failure("cannot open the journal \(journal)", errno) }
            var isKept = false
            defer { if !isKept { close(descriptor) } }
            var status = bluebonnet_file()
            guard bluebonnet_look_at(descriptor, &status) == 0, status.is_regular else {
                throw JournalError(.notAJournal, "\(journal) is not a journal: it is not an ordinary file")
            }
            // Tried several times: a process that only checks the lock has it for a moment.
            switch FileLock.acquire(descriptor, tryCount: 20) {
            case 0: break
            case EWOULDBLOCK: throw inUse(journal, owner(ofFile: status.inode))
            case let code: throw failure("cannot lock the journal \(journal)", code)
            }
            // Another file may have got the name in the meantime.
            guard let found = file(at: journal), found.file.number == Int(status.inode) else { continue }
            guard found.linkCount == 1 else {
                throw JournalError(
                    .unavailable, "the journal \(journal) has hard links, with which SQLite loses records")
            }
            isKept = true
            return (found.path, found.file, descriptor)
        }
    }

    private static func header(_ descriptor: CInt) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    private static func inUse(_ journal: String, _ process: pid_t?) -> JournalError {
        let other = process.map { " by process \($0)" } ?? " by another run"
        return JournalError(.inUse, "the journal \(journal) is in use\(other)")
    }

    /// Returns the process that has locked a file, if the kernel reports it. For the message only.
    private static func owner(ofFile number: UInt64) -> pid_t? {
        guard let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return nil }
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", words[5].hasSuffix(":\(number)") else { continue }
            return pid_t(words[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    private static func failure(_ words: String, _ number: CInt) -> JournalError {
        let code: JournalError.Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .notWritable
            default: .unavailable
            }
        return JournalError(code, "\(words): \(String(cString: strerror(number)))")
    }
}
