// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Paths of files as lines and options give them.
package enum FilePath {
    /// The URL of a path as it is written: Foundation would replace `~` and `~user` by a home folder, which is a
    /// shell's business.
    package static func url(_ path: String, isDirectory: Bool? = nil) -> URL {
        let literal = path.utf8.first == UInt8(ascii: "~") ? "./" + path : path
        guard let isDirectory else { return URL(fileURLWithPath: literal) }
        return URL(fileURLWithPath: literal, isDirectory: isDirectory)
    }

    /// Whether a path can only be that of a folder: it ends in a slash, or its last name is `.` or `..`.
    package static func namesFolder(_ path: String) -> Bool {
        let last = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        return last.map { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) } ?? false
    }
}
