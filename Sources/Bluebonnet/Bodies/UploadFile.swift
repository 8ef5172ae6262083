// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// A regular file opened for sending, with the size that was declared for it. Closed when the last reference goes.
final class UploadFile: Sendable {
    let path: String
    let byteCount: Int64
    private let descriptor: CInt

    /// Opens the file; refuses what is not a regular file, because reading it could block the network thread.
    init(path: String) throws(NetworkingError) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else {
            throw NetworkingError(.cannotReadFile, "cannot open \(path)", underlying: POSIXError.last)
        }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(opened, &file) == 0, file.is_regular else {
            close(opened)
            throw NetworkingError(.cannotReadFile, "cannot send \(path): it is not a regular file")
        }
        self.path = path
        descriptor = opened
        byteCount = file.byte_count
    }

    /// Reads at `offset`; fails when the file has become shorter than was declared.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int {
        let wanted = min(Int64(buffer.count), byteCount - offset)
        guard wanted > 0 else { return 0 }
        let count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(offset))
        if count > 0 { return count }
        if count < 0 { throw NetworkingError(.cannotReadFile, "cannot read \(path)", underlying: POSIXError.last) }
        throw NetworkingError(
            .cannotReadFile, "\(path) became shorter while it was sent: \(offset) of \(byteCount) bytes are there")
    }

    deinit { close(descriptor) }
}

extension POSIXError {
    /// The error that `errno` names.
    static var last: POSIXError { POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
}
