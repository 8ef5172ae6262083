// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into an error, so that the server and the temporary folder are removed as after
/// any other error.
package enum Interruption {
    private static let isRequested = Atomic(false)

    /// Replaces the default action of the signals by a flag. Children start with the default action.
    package static func watch() {
        isRequested.store(false, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        }
    }

    /// Throws an error if a signal has arrived.
    package static func check() throws {
        if isRequested.load(ordering: .relaxed) { throw BenchmarkError("interrupted") }
    }
}
