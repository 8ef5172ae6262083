// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
internal import Glibc

extension FileManager {
    /// Moves a file to a name that does not exist yet. An existing file is never replaced, even if it is created at the
    /// same moment.
    ///
    /// `link(2)` fails if the name exists. From another file system, the file is first copied next to the target, so
    /// that the name only ever refers to the complete file.
    package func moveItem(at file: URL, toNew target: URL) throws {
        guard let error = Self.error(ofLinking: file, to: target) else { return try removeItem(at: file) }
        switch error {
        case .EXDEV:
            let copy = target.deletingLastPathComponent().appendingPathComponent(
                "org.bluebonnet.copy-\(UUID().uuidString)")
            do {
                try copyItem(at: file, to: copy)
                try moveItem(at: copy, toNew: target)
            } catch {
                try? removeItem(at: copy)
                throw error
            }
            try removeItem(at: file)
        case .EPERM, .EOPNOTSUPP: try moveItem(at: file, to: target)  // a file system without hard links
        default: throw POSIXError(error)
        }
    }

    private static func error(ofLinking file: URL, to target: URL) -> POSIXErrorCode? {
        link(file.path, target.path) == 0 ? nil : POSIXErrorCode(rawValue: errno) ?? .EIO
    }
}
