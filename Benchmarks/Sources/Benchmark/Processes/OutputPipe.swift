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

    /// Reads to the end. Calls `observe` at least once an interval until then.
    func readToEnd(every milliseconds: CInt, observe: () throws -> Void) throws -> Data {
        var output = Data()
        while true {
            try observe()
            guard isReadable(within: milliseconds) else { continue }
            guard let bytes = readSome(), !bytes.isEmpty else { return output }
            output.append(contentsOf: bytes)
        }
    }

    private func isReadable(within milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    private func readSome() -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &buffer, buffer.count)
        return count < 0 ? nil : buffer[..<count]
    }
}
