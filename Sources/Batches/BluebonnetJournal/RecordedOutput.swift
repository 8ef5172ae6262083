// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The output file of a line, if its path is known before the line runs. Only the file's metadata is read, not its
/// bytes.
struct RecordedOutput {
    private let path: String

    /// Creates an output; nil if the response or references determine the file's name.
    init?(_ output: String) {
        let isName = output.utf8.last != UInt8(ascii: "/") && !output.utf8.contains(UInt8(ascii: "$"))
        guard isName else { return nil }
        path = output
    }

    /// Whether a regular file of this length exists. A file of another kind stores nothing, so it has lost nothing.
    func isThere(byteCount: Int) -> Bool {
        var file = bluebonnet_file()
        guard bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 else { return false }
        return !file.is_regular || file.byte_count == byteCount
    }
}
