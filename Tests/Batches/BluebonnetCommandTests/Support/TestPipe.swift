// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc

/// A pipe between a test and a process.
struct TestPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        // If a child of another test inherited the write end, the read end would never see the end.
        guard bluebonnet_pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Writes as much of the text as the pipe accepts at once.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(writeEnd, bytes, bytes.count)
    }

    func closeReadEnd() { close(readEnd) }
    func closeWriteEnd() { close(writeEnd) }

    /// Waits for the next bytes. Returns no bytes at the end, or if the waiting task is cancelled.
    func read(upTo limit: Int = 65_536) async -> [UInt8] {
        await DescriptorInput(descriptor: readEnd).read(upTo: limit)
    }

    /// Reads until every process has closed the write end or the waiting task is cancelled.
    func readToEnd(pieces limit: Int = 65_536) async -> String {
        var all: [UInt8] = []
        while true {
            let bytes = await read(upTo: limit)
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }
}
