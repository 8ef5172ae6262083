// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
package import Foundation
internal import Glibc

/// An open file with the body of a stored response, for `ResponseCache.bodyFile(of:)`. Any thread may use it.
///
/// The contents must not change. The file may lose its name.
public final class CacheBodyFile: Sendable {
    /// The length of the file in bytes.
    public let byteCount: Int64
    /// SHA-256 of the contents, in lower-case hexadecimal.
    public let sha256: String
    let descriptor: Int32

    /// Makes a file from an open descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: a descriptor that can be read. It is closed with the object.
    ///   - byteCount: the length of the file in bytes.
    ///   - sha256: SHA-256 of the contents, in lower-case hexadecimal. The library does not compare it.
    public init(descriptor: Int32, byteCount: Int64, sha256: String) {
        (self.descriptor, self.byteCount, self.sha256) = (descriptor, byteCount, sha256)
    }

    /// Returns bytes of the file. May block.
    package func contents(of bytes: Range<Int64>) throws(NetworkingError) -> Data {
        var data = Data(count: bytes.count)
        let result = data.withUnsafeMutableBytes { buffer in
            Result { () throws(POSIXError) in try FileCopy.read(descriptor, at: bytes.lowerBound, into: buffer) }
        }
        if case .failure(let error) = result { throw Self.unreadable(error) }
        return data
    }

    private static func unreadable(_ error: POSIXError) -> NetworkingError {
        NetworkingError(.cannotReadFile, "a body in the cache cannot be read", underlying: error)
    }

    deinit { closeOffNetworkThread(descriptor) }
}

extension CacheBodyFile: UploadSource {
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int {
        let room = room(in: buffer, at: offset)
        do throws(POSIXError) {
            try FileCopy.read(descriptor, at: offset, into: room)
        } catch {
            throw Self.unreadable(error)
        }
        return room.count
    }

    package func readCached(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(NetworkingError) -> Int? {
        let room = room(in: buffer, at: offset)
        let count = bluebonnet_read_cached(descriptor, room.baseAddress, room.count, offset)
        return count > 0 ? count : nil
    }
}
