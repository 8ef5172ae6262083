// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

/// Flushes downloaded files to the disk before the journal records them. Keeps a descriptor of each file system during
/// the run, so that a write error between two calls is reported by the second call.
final class OutputSync: Sendable {
    /// The folder of a line's file, if it is known.
    enum Place: Hashable {
        case folder(String)
        /// The path contains references.
        case anywhere
    }

    /// A folder descriptor for each file system, by the number of the file system.
    private let folders = Mutex<[Int: CInt]>([:])

    /// Returns the place of a line's output file.
    static func place(ofOutput path: String) -> Place {
        guard !path.contains("$") else { return .anywhere }
        if path.hasSuffix("/") { return .folder(path) }
        guard let slash = path.lastIndex(of: "/") else { return .folder(".") }
        return .folder(String(path[...slash]))
    }

    /// Flushes the file systems of the places: one call for a group of files costs far less than one call for each
    /// file. A missing folder has nothing to flush.
    func sync(_ places: [Place]) throws(JournalError) {
        guard !places.isEmpty else { return }
        var devices: Set<Int> = []
        for place in Set(places) {
            switch place {
            case .folder(let path): if let device = try device(of: path) { devices.insert(device) }
            case .anywhere: return Glibc.sync()
            }
        }
        for device in devices {
            guard let folder = folders.withLock({ $0[device] }) else { continue }
            guard bluebonnet_sync_file_system(folder) == 0 else {
                throw Self.failure("cannot sync the files of a batch to disk", errno)
            }
        }
    }

    /// Returns the number of the file system of a folder, and keeps a descriptor of the file system; nil if the folder
    /// no longer exists.
    private func device(of path: String) throws(JournalError) -> Int? {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            let error = errno
            guard error == ENOENT || error == ENOTDIR else { throw Self.failure("cannot open \(path)", error) }
            return nil
        }
        var isKept = false
        defer { if !isKept { close(folder) } }
        // A slash at the end makes the lookup follow a symbolic link to the folder.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path.hasSuffix("/") ? path : path + "/")
        guard let device = (attributes?[.systemNumber] as? NSNumber)?.intValue else {
            throw JournalError(.unavailable, "cannot read the attributes of the folder \(path)")
        }
        isKept = folders.withLock { folders in
            guard folders[device] == nil else { return false }
            folders[device] = folder
            return true
        }
        return device
    }

    private static func failure(_ words: String, _ number: CInt) -> JournalError {
        JournalError(.unavailable, "\(words): \(String(cString: strerror(number)))")
    }

    deinit {
        for folder in folders.withLock(\.values) { close(folder) }
    }
}
