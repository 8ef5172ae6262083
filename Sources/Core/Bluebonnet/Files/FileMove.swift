// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

extension FileManager {
    /// Moves a file to a name that nothing has; what stands there is never replaced, whoever makes it at that moment.
    ///
    /// A link is refused where a file stands. From another file system a copy is made beside the target first, so that
    /// the name stands for the whole file only.
    func moveItem(at file: URL, toNew target: URL) throws {
        guard let fault = Self.fault(ofLinking: file, to: target) else { return try removeItem(at: file) }
        switch fault {
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
        case .EPERM, .EOPNOTSUPP: try moveItem(at: file, to: target)  // a file system without links
        default: throw POSIXError(fault)
        }
    }

    private static func fault(ofLinking file: URL, to target: URL) -> POSIXErrorCode? {
        link(file.path, target.path) == 0 ? nil : POSIXErrorCode(rawValue: errno) ?? .EIO
    }
}
