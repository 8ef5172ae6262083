// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Glibc
import Testing

/// The read end of a pipe or terminal that a process writes to.
struct DescriptorInput: Sendable {
    let descriptor: Int32

    /// Waits for the next bytes, at most `limit`. Returns no bytes at the end, or if none arrive in time.
    func read(upTo limit: Int) async -> [UInt8] {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard await eventually(poll(&entry, 1, 0), satisfies: { $0 > 0 }) else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(descriptor, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }
}
