// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
package import Foundation
internal import Glibc

/// A character device, such as `/dev/null` or a terminal, to which a body is written as it arrives. Written bytes
/// cannot be taken back, and the body can neither be continued nor moved into place. Closed with its last reference.
package final class DeviceFile: Sendable {
    /// The device as the caller named it.
    package let place: URL
    private let path: String
    private let descriptor: CInt
    private let running: Mutex<MessageDigest?>

    /// Opens the device. Not on the network thread.
    ///
    /// - Parameter isDigested: whether the digest of the written bytes will be read.
    package init(_ path: String, place: URL, isDigested: Bool) throws(NetworkingError) {
        // O_NONBLOCK: opening some devices blocks until their other end is connected.
        let opened = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard opened >= 0 else {
            throw NetworkingError(.cannotOpenFile, "cannot open the device \(path)", underlying: POSIXError.last)
        }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(opened, &file) == 0, file.kind == S_IFCHR,
            fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK) == 0
        else {
            close(opened)
            throw NetworkingError(.cannotOpenFile, "cannot write \(path): it is no longer a device")
        }
        (self.path, self.place, descriptor) = (path, place, opened)
        running = Mutex(isDigested ? MessageDigest(.sha256) : nil)
    }

    /// Writes a whole piece after the earlier pieces, or throws. Blocks for as long as the device blocks.
    func append(_ piece: Data) throws(NetworkingError) {
        var rest = piece
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw NetworkingError(.cannotWriteFile, "cannot write \(path)", underlying: POSIXError.last)
            }
            rest = rest.dropFirst(count)
        }
        running.withLock { digest in piece.withUnsafeBytes { digest?.update($0) } }
    }

    /// The SHA-256 digest of the written bytes in hexadecimal; nil if no digest was requested.
    package var digest: String? { running.withLock { $0?.copy().finish() } }

    deinit { closeOffNetworkThread(descriptor) }
}
