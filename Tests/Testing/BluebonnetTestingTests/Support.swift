// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation

/// A new file with these bytes.
func temporaryFile(_ bytes: Data) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try bytes.write(to: url)
    return url
}

/// How many were inside at the same time, at most.
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

/// How often something has happened.
final class Tally: Sendable {
    private let value = Mutex(0)

    /// - Returns: how often with this time.
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
