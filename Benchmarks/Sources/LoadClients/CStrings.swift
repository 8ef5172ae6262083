// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Copies of strings as C has them, for as long as this object lives.
package final class CStrings {
    private let pointers: [UnsafePointer<CChar>?]

    /// Takes nil where C takes NULL.
    package init(_ strings: [String?]) {
        pointers = strings.map { string in string.flatMap { strdup($0) }.map { UnsafePointer($0) } }
    }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }

    subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index] }

    /// All of them as an array of C.
    package func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Result
    ) rethrows -> Result {
        try pointers.withUnsafeBufferPointer { try body($0.baseAddress) }
    }
}
