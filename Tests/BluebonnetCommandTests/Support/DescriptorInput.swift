// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The reading end of something that a process writes to.
struct DescriptorInput: Sendable {
    let descriptor: Int32

    /// Waits for the next bytes, at most `limit`; empty at the end, or when the waiting task is cancelled.
    func read(upTo limit: Int) async -> [UInt8] {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) <= 0 {
            guard (try? await Task.sleep(for: .milliseconds(2))) != nil else { return [] }
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(descriptor, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }
}
