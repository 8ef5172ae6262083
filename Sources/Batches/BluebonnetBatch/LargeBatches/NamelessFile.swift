// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Files without a name: they are gone with their last descriptor.
package enum NamelessFile {
    /// Opens a file in a folder on a disk, where there is one; nil when it cannot be made. The descriptor is the
    /// caller's.
    package static func open() -> CInt? {
        let descriptor = bluebonnet_open_nameless(folder)
        return descriptor >= 0 ? descriptor : nil
    }

    private static var folder: String { ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp" }
}
