// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
import Glibc

/// A file without a name that keeps text until the end of a run.
struct SpoolFile: Sendable {
    private static let blockByteCount = 256 << 10

    private let file: FileDescriptor
    private var waiting: [UInt8] = []

    /// - Throws: an error if the folder for temporary files is not writable.
    init() throws(SystemError) {
        guard let descriptor = NamelessFile.open() else { throw .latest }
        file = FileDescriptor(descriptor)
    }

    mutating func append(_ text: String) throws(SystemError) {
        waiting += text.utf8
        if waiting.count >= Self.blockByteCount { try flush() }
    }

    /// Calls `body` with the text so far, piece by piece.
    mutating func read(_ body: ([UInt8]) throws(SystemError) -> Void) throws(SystemError) {
        try flush()
        guard lseek(file.rawValue, 0, SEEK_SET) == 0 else { throw .latest }
        while true {
            let bytes = try file.read(upTo: Self.blockByteCount)
            if bytes.isEmpty { return }
            try body(bytes)
        }
    }

    private mutating func flush() throws(SystemError) {
        defer { waiting.removeAll(keepingCapacity: true) }
        var bytes = waiting[...]
        try file.write(&bytes)
    }
}
