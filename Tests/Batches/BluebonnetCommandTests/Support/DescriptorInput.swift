// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Glibc
import Testing

/// The reading end of something that a process writes to.
struct DescriptorInput: Sendable {
    let descriptor: Int32

    /// Waits for the next bytes, at most `limit`; empty at the end, or when none come in time.
    func read(upTo limit: Int) async -> [UInt8] {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard await eventually(poll(&entry, 1, 0), satisfies: { $0 > 0 }) else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(descriptor, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }
}
