// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Opens files without a name, which disappear with their last descriptor.
package enum NamelessFile {
    /// Opens a file in the folder `TMPDIR`, by default `/var/tmp`, which is on a disk. Returns nil if that fails. The
    /// caller owns the descriptor.
    package static func open() -> CInt? {
        let descriptor = bluebonnet_open_nameless(folder)
        return descriptor >= 0 ? descriptor : nil
    }

    private static var folder: String { ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp" }
}
