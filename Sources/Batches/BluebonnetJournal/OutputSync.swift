// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

/// Brings downloaded files to the disk before the journal says that they are there. It keeps a descriptor of each file
/// system for the run, so that a failure between two calls is told by the second one.
final class OutputSync: Sendable {
    /// Where a line's file is, as far as it is known.
    enum Place: Hashable {
        case folder(String)
        /// The path has references in it.
        case anywhere
    }

    /// A folder of each file system, by the file system's number.
    private let folders = Mutex<[Int: CInt]>([:])

    /// The place of a line's output file.
    static func place(ofOutput path: String) -> Place {
        guard !path.contains("$") else { return .anywhere }
        if path.hasSuffix("/") { return .folder(path) }
        guard let slash = path.lastIndex(of: "/") else { return .folder(".") }
        return .folder(String(path[...slash]))
    }

    /// Brings the file systems of the places to the disk: one call for a group of files, which costs far less than one
    /// for each of them. A folder that is not there any more has nothing to bring.
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
                throw Self.failure("cannot bring the files of a batch to their disk", errno)
            }
        }
    }

    /// The number of the file system that a folder is on, of which a descriptor is kept; nil when the folder is not
    /// there any more.
    private func device(of path: String) throws(JournalError) -> Int? {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            let error = errno
            guard error == ENOENT || error == ENOTDIR else { throw Self.failure("cannot open \(path)", error) }
            return nil
        }
        var isKept = false
        defer { if !isKept { close(folder) } }
        // With a slash at its end the path is followed to the folder.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path.hasSuffix("/") ? path : path + "/")
        guard let device = (attributes?[.systemNumber] as? NSNumber)?.intValue else {
            throw JournalError(.unavailable, "cannot look at the folder \(path)")
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
