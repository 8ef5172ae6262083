// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import NIOCore

/// A file that one reader at a time reads in buffers of 256 KiB.
final class InputFile: Sendable {
    private let descriptor: CInt

    init(_ file: URL) throws {
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("\(file.path) cannot be read") }
    }

    deinit { close(descriptor) }

    /// Returns the next buffer; nil at the end.
    func next() throws -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: 256 * 1024)
        var result = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 256 * 1024) { bytes in
            result = read(descriptor, bytes.baseAddress, bytes.count)
            return max(result, 0)
        }
        guard result >= 0 else { throw BenchmarkError("the file to send cannot be read") }
        return result == 0 ? nil : buffer
    }
}

/// A new file with one writer.
final class OutputFile {
    private let descriptor: CInt
    private(set) var byteCount: Int64 = 0

    init(_ file: URL) throws {
        descriptor = open(file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(file.path) cannot be made") }
    }

    deinit { close(descriptor) }

    /// Writes all readable bytes of a buffer.
    func write(_ buffer: inout ByteBuffer) throws {
        while buffer.readableBytes > 0 {
            let count = buffer.withUnsafeReadableBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchmarkError("the output file cannot be written") }
            buffer.moveReaderIndex(forwardBy: count)
            byteCount += Int64(count)
        }
    }
}
