// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc

/// A pipe from a child to this process.
struct OutputPipe {
    /// The end for the child.
    let writer: CInt
    private let reader: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("no descriptors are left for a pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Closes this process's copy of the child's end, without which there would be no end of the output.
    func closeWriter() { close(writer) }

    /// Closes the end for reading.
    func closeReader() { close(reader) }

    /// Reads to the end. Calls `observe` at first and then once an interval: to look at a process costs more than to
    /// read what it wrote, and takes a processor from what is measured.
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
