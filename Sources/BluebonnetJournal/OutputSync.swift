// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Brings downloaded files to the disk before the journal says that they are there.
enum OutputSync {
    /// Where a line's file is, as far as it is known.
    enum Place: Hashable {
        case folder(String)
        /// The path has references in it.
        case anywhere
    }

    /// With more folders all file systems are brought to their disks by one call.
    private static let folderLimit = 8

    /// The place of a line's output file.
    static func place(ofOutput path: String) -> Place {
        guard !path.contains("$") else { return .anywhere }
        if path.hasSuffix("/") { return .folder(path) }
        guard let slash = path.lastIndex(of: "/") else { return .folder(".") }
        return .folder(String(path[...slash]))
    }

    /// Brings the file systems of the places to the disk: one call for a group of files, which costs far less than one
    /// for each of them. A folder that is not there any more has nothing to bring.
    static func sync(_ places: [Place]) throws(JournalError) {
        guard !places.isEmpty else { return }
        var folders: [String] = []
        for place in Set(places) {
            switch place {
            case .folder(let path): folders.append(path)
            case .anywhere: return Glibc.sync()
            }
        }
        // Folders are mostly of one file system, of which only the first call has anything to bring.
        guard folders.count <= folderLimit else { return Glibc.sync() }
        for path in folders {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            guard bluebonnet_sync_file_system(folder) == 0 else {
                let reason = String(cString: strerror(errno))
                throw JournalError(.unavailable, "cannot bring the files in \(path) to their disk: \(reason)")
            }
        }
    }
}
