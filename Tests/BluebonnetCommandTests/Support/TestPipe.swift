// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A pipe between a test and a process.
struct TestPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Puts a text in, from another thread, as far as the pipe takes it at once.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(writeEnd, bytes, bytes.count)
    }

    func closeReadEnd() { close(readEnd) }
    func closeWriteEnd() { close(writeEnd) }

    /// Waits for the next bytes, on a thread of its own; empty at the end.
    func read(upTo limit: Int = 65_536) async -> [UInt8] {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: limit)
                let count = Glibc.read(readEnd, &bytes, limit)
                done.resume(returning: Array(bytes.prefix(max(0, count))))
            }
        }
    }

    /// Reads all that comes, until everybody has closed the other end.
    func readToEnd(pieces limit: Int = 65_536) async -> String {
        var all: [UInt8] = []
        while true {
            let bytes = await read(upTo: limit)
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }
}
