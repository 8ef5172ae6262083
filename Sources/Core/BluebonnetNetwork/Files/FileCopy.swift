// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
package import Foundation
internal import Glibc

/// Copies a file to an empty file: as a shared copy (reflink) if the file system can, otherwise in the kernel or
/// through memory. Blocks.
package enum FileCopy {
    /// The bytes of one step.
    private static let stepByteCount = 1 << 20

    /// Makes an empty file a shared copy. Returns false if that is not possible; the file is then still empty.
    package static func clone(_ source: Int32, to target: Int32) -> Bool { bluebonnet_clone(source, target) == 0 }

    /// Makes an empty file a copy.
    ///
    /// - Parameter byteCount: the length of the copy.
    /// - Throws: also if the source is shorter.
    package static func copy(_ source: Int32, to target: Int32, byteCount: Int64) throws(POSIXError) {
        guard byteCount > 0 else { return }
        if clone(source, to: target) { return try checkLength(of: target, byteCount) }
        var offset: Int64 = 0
        while offset < byteCount {
            let count = bluebonnet_copy_range(source, target, offset, Int(min(byteCount - offset, 1 << 30)))
            if count > 0 {
                offset += Int64(count)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                // Two file systems, or one that has no such copy. A lack of space is met again below.
                return try copyThroughMemory(source, to: target, from: offset, byteCount: byteCount)
            }
        }
    }

    /// Gives a shared copy, which has the length of its source, the length of a copy.
    private static func checkLength(of target: Int32, _ byteCount: Int64) throws(POSIXError) {
        guard lseek(target, 0, SEEK_END) >= off_t(byteCount) else { throw POSIXError(.EIO) }
        guard ftruncate(target, off_t(byteCount)) == 0 else { throw .last }
    }

    private static func copyThroughMemory(
        _ source: Int32, to target: Int32, from start: Int64, byteCount: Int64
    ) throws(POSIXError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: stepByteCount, alignment: 16)
        defer { buffer.deallocate() }
        var offset = start
        while offset < byteCount {
            let count = Int(min(byteCount - offset, Int64(stepByteCount)))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try read(source, at: offset, into: part)
            try write(UnsafeRawBufferPointer(part), to: target, at: offset)
            offset += Int64(part.count)
        }
    }

    /// Fills a buffer from a file, or throws.
    static func read(
        _ source: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(POSIXError) {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = pread(source, base + done, buffer.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw count < 0 ? .last : POSIXError(.EIO) }
            done += count
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to target: Int32, at offset: Int64) throws(POSIXError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(target, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            done += count
        }
    }
}
