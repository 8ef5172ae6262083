// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Converts and examines file paths from request lines and options.
package enum FilePath {
    /// Returns the URL of a path exactly as written. Foundation would replace `~` and `~user` with a home folder, which
    /// is the task of a shell.
    package static func url(_ path: String, isDirectory: Bool? = nil) -> URL {
        let literal = path.utf8.first == UInt8(ascii: "~") ? "./" + path : path
        guard let isDirectory else { return URL(fileURLWithPath: literal) }
        return URL(fileURLWithPath: literal, isDirectory: isDirectory)
    }

    /// Returns whether a path can only name a folder: it ends with a slash, or its last component is `.` or `..`.
    package static func namesFolder(_ path: String) -> Bool {
        let last = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        return last.map { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) } ?? false
    }
}
