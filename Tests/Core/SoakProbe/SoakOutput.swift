// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Prints a line and flushes the output, so that the line also appears at once in a file.
func say(_ text: String) {
    print(text)
    fflush(nil)
}
