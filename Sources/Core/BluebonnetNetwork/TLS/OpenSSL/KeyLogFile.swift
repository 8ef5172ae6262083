// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// A file to which the secrets of TLS connections are appended line by line. Any thread; closed with the last
/// reference.
final class KeyLogFile: Sendable {
    private let descriptor: CInt

    /// Opens the file, or creates a file that only this user can read.
    init(path: String) throws(NetworkingError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw NetworkingError(.cannotOpenFile, "cannot open the key log \(path)", underlying: POSIXError.last)
        }
    }

    /// Appends a line in one write.
    func append(_ line: UnsafePointer<CChar>) {
        var bytes = Array(UnsafeBufferPointer(start: line, count: strlen(line)))
        bytes.append(0x0A)
        _ = write(descriptor, bytes, bytes.count)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
