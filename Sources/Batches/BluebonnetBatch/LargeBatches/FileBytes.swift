// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Reads parts of a file.
enum FileBytes {
    /// Returns `count` bytes from an offset; nil if the file does not have them all.
    static func read(_ file: CInt, _ count: Int, at offset: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, readCount in
            while readCount < count {
                let part = pread(file, buffer.baseAddress! + readCount, count - readCount, offset + readCount)
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { return }
                readCount += part
            }
        }
        return bytes.count == count ? bytes : nil
    }
}
