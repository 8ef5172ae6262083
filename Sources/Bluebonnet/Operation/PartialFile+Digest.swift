// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc
internal import Synchronization

// The digest of what is written, which is read again from the file: while it arrives, so that little is left at the end.
extension PartialFile {
    /// A body is read again in steps of so many bytes, while the next ones arrive.
    static let digestStepByteCount: Int64 = 4 << 20

    /// Lets the digest follow what was written, off this thread, and gives the length at which to say so again.
    func followDigest(upTo byteCount: Int64) -> Int64 {
        if let digest = followingDigest {
            let queues = Queues.largeProcessing
            queues[Int(descriptor) % queues.count].async { [self] in
                try? digest.takeIn(descriptor, upTo: byteCount)  // an error comes again at the end
            }
        }
        return byteCount + Self.digestStepByteCount
    }

    /// The digest of what was written, in hexadecimal.
    func digest() throws(NetworkingError) -> String {
        let digest = followingDigest ?? FollowingDigest()
        do throws(POSIXError) {
            try digest.takeIn(descriptor, upTo: .max)
        } catch {
            throw NetworkingError(.cannotReadFile, "cannot read \(path) again", underlying: error)
        }
        return digest.value
    }
}

/// The digest of a file's bytes from its beginning to where it has come. It does not know who writes them, and may be
/// used from any thread.
final class FollowingDigest: Sendable {
    private struct Progress {
        let digest = MessageDigest(.sha256)
        var byteCount: Int64 = 0
    }

    private let progress = Mutex(Progress())
    private static let bufferByteCount = 256 * 1024

    /// Reads on, as far as there is something.
    func takeIn(_ descriptor: CInt, upTo end: Int64) throws(POSIXError) {
        let failure: POSIXError? = progress.withLock { progress in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferByteCount, alignment: 16)
            defer { buffer.deallocate() }
            while progress.byteCount < end {
                let wanted = min(Int64(buffer.count), end - progress.byteCount)
                let count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(progress.byteCount))
                guard count >= 0 else { return POSIXError.last }
                progress.digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                progress.byteCount += Int64(count)
                if count < wanted { return nil }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// In lower-case hexadecimal, of what was taken in.
    var value: String { progress.withLock { $0.digest.copy().finish() } }
}
