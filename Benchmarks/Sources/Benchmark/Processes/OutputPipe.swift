// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc

/// A pipe from a child to this process.
struct OutputPipe {
    /// The write end, for the child.
    let writer: CInt
    private let reader: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("no descriptors are left for a pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Closes this process's copy of the write end; otherwise the output would never end.
    func closeWriter() { close(writer) }

    /// Closes the read end.
    func closeReader() { close(reader) }

    /// Reads to the end. Calls `observe` first, and then once per interval: observing a process costs more than
    /// reading its output, and takes a processor from the measured work.
    func readToEnd(every milliseconds: CInt, observe: () throws -> Void) throws -> Data {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var next = ContinuousClock.now
        while true {
            let now = ContinuousClock.now
            if now >= next {
                try observe()
                next = now + .milliseconds(milliseconds)
            }
            let rest = CInt(((next - now) / .milliseconds(1)).rounded(.up))
            guard isReadable(within: min(rest, milliseconds)) else { continue }
            let count = read(reader, &buffer, buffer.count)
            guard count > 0 else { return output }
            output.append(contentsOf: buffer[..<count])
        }
    }

    private func isReadable(within milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
