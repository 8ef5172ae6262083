// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The file that a line wrote, as far as its path is known before the line runs. Only a look at the file; its bytes are
/// not read.
struct RecordedOutput {
    private let path: String

    /// Makes an output; nil where the response or references make the file's name.
    init?(_ output: String) {
        let isName = output.utf8.last != UInt8(ascii: "/") && !output.utf8.contains(UInt8(ascii: "$"))
        guard isName else { return nil }
        path = output
    }

    /// Whether a regular file of this length is there. What is no regular file keeps nothing, and lost nothing.
    func isThere(byteCount: Int) -> Bool {
        var file = bluebonnet_file()
        guard bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 else { return false }
        return !file.is_regular || file.byte_count == byteCount
    }
}
