// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation

/// Creates a temporary file with these bytes.
func temporaryFile(_ bytes: Data) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try bytes.write(to: url)
    return url
}

/// Measures the highest number of simultaneous entries.
final class Peak: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}

/// Counts how often something has happened.
final class Tally: Sendable {
    private let value = Mutex(0)

    /// - Returns: the count, including this time.
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
