// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The version of the library and of the command, the only place that states it. `User-Agent`, `--version`, HAR files,
/// man pages and packages use this value. `VersionTests` compares it with the changelog and the documentation.
package enum LibraryVersion {
    package static let text = "0.2.0"
}
