// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Prints a line at once, also into a file.
func say(_ text: String) {
    print(text)
    fflush(nil)
}
