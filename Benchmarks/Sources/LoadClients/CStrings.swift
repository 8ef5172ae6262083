// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Copies of strings as C strings, which live as long as this object.
package final class CStrings {
    private let pointers: [UnsafePointer<CChar>?]

    /// Copies the strings. Nil becomes NULL.
    package init(_ strings: [String?]) {
        pointers = strings.map { string in string.flatMap { strdup($0) }.map { UnsafePointer($0) } }
    }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }

    subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index] }

    /// Calls `body` with all strings as a C array.
    package func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Result
    ) rethrows -> Result {
        try pointers.withUnsafeBufferPointer { try body($0.baseAddress) }
    }
}
