// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The version of the library and of the command, which `User-Agent`, `--version` and the changelog share.
package enum LibraryVersion {
    package static let text = "0.1.0"
}
