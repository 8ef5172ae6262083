// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into an error, so that the server and the temporary folder go away as after any
/// other.
package enum Interruption {
    private static let isRequested = Atomic(false)

    /// From here on the signals only leave a note. Children start with the default again.
    package static func watch() {
        isRequested.store(false, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        }
    }

    /// Throws when a signal has come.
    package static func check() throws {
        if isRequested.load(ordering: .relaxed) { throw BenchmarkError("interrupted") }
    }
}
