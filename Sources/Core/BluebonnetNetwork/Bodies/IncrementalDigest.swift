// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation
internal import Glibc

// The pending small body of a file, and the digest of the file. The digest reads the file again while the body arrives,
// so that little is left to read at the end.
extension PartialFile {
    /// The state of the file's contents.
    struct Contents {
        /// Whether a digest is expected to be needed.
        let isDigested: Bool
        /// Computes the digest of a large body while the body arrives; nil before.
        var incrementalDigest: IncrementalDigest?
        /// The digest of a file that was copied from one with this digest.
        var knownDigest: String?
        /// A small body that is not yet written.
        var whole: PendingSmallBody?
    }

    /// Stores a complete body. The body is written when the file is moved into place or kept for a continuation.
    func setPendingBody(_ body: PendingSmallBody) {
        contents.withLock { $0.whole = body }
    }

    /// Writes the pending small body, if any.
    func writePendingBody() throws(NetworkingError) {
        let whole = contents.withLock { contents in
            defer { contents.whole = nil }
            return contents.whole
        }
        guard let whole else { return }
        try whole.bytes.withUnsafeBytes { bytes in
            Result { () throws(NetworkingError) in try write(bytes, at: 0) }
        }.get()
    }

    /// The number of bytes in a step. A body is read again in steps, while the next bytes arrive.
    static let digestStepByteCount: Int64 = 4 << 20

    /// Extends the digest to the written bytes when they complete another step. The digest is computed on its own
    /// queue.
    func followDigest(from start: Int64, upTo end: Int64) {
        guard start / Self.digestStepByteCount != end / Self.digestStepByteCount, let digest = madeIncrementalDigest(),
            digest.extendGoal(to: end)
        else { return }
        digest.queue.async { [self] in digest.follow(descriptor) }
    }

    private func madeIncrementalDigest() -> IncrementalDigest? {
        contents.withLock { contents in
            if contents.isDigested, contents.incrementalDigest == nil {
                contents.incrementalDigest = IncrementalDigest()
            }
            return contents.incrementalDigest
        }
    }

    /// Returns the digest of the written bytes, in hexadecimal. The digest is computed from the bytes as they are read
    /// back, most of them soon after they were written. A copy has the digest of its source.
    package func digest() throws(NetworkingError) -> String {
        let (whole, known, incrementalDigest) = contents.withLock { ($0.whole, $0.knownDigest, $0.incrementalDigest) }
        if let known { return known }
        if let whole { return MessageDigest.hexadecimalDigest(of: whole.bytes) }
        let digest = incrementalDigest ?? IncrementalDigest()
        do throws(POSIXError) {
            try digest.finish(descriptor)
        } catch {
            throw NetworkingError(.cannotReadFile, "cannot read \(path) again", underlying: error)
        }
        return digest.value
    }
}

/// Computes the digest of a growing file, from its start to a goal. Independent of the file's writer, and usable from
/// any thread; `follow` and `finish` wait for each other.
final class IncrementalDigest: Sendable {
    /// The digest of the bytes read so far.
    private struct Progress {
        let digest = MessageDigest(.sha256)
        var byteCount: Int64 = 0
    }

    /// The queue on which `follow` is called.
    let queue = Queues.digests.next()
    /// Locked while the file is read; only other calls of this digest wait for the lock.
    private let progress = Mutex(Progress())
    /// The offset up to which the file may be read; 0 if the digest is no longer needed.
    private let goal = Atomic<Int64>(0)
    private let isFollowing = Atomic(false)
    private static let bufferByteCount = 256 * 1024
    /// The size of the stack buffer for small files. For a larger buffer the C library would request memory from the
    /// system for each file, and return it.
    private static let smallBufferByteCount = 16 * 1024

    /// Records that the file has grown to `byteCount` bytes. Returns whether the caller has to call `follow`.
    func extendGoal(to byteCount: Int64) -> Bool {
        goal.store(byteCount, ordering: .releasing)
        return !isFollowing.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Reads up to the goal. Ignores errors, because `finish` meets the same error and throws it.
    func follow(_ descriptor: CInt) {
        isFollowing.store(false, ordering: .releasing)
        try? read(descriptor)
    }

    /// Reads the rest of the file. A later `follow` reads nothing.
    func finish(_ descriptor: CInt) throws(POSIXError) {
        goal.store(.max, ordering: .releasing)
        defer { stop() }
        try read(descriptor)
    }

    /// Stops reading, because the digest is no longer needed.
    func stop() { goal.store(0, ordering: .releasing) }

    /// The digest of the bytes read so far, in lower-case hexadecimal.
    var value: String { progress.withLock { $0.digest.copy().finish() } }

    private func read(_ descriptor: CInt) throws(POSIXError) {
        let failure: POSIXError? = progress.withLock { progress in
            let end = withUnsafeTemporaryAllocation(byteCount: Self.smallBufferByteCount, alignment: 16) { buffer in
                read(descriptor, into: buffer, &progress, stopsWhenFull: true)
            }
            guard case .wasFull = end else { return end.failure }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferByteCount, alignment: 16)
            defer { buffer.deallocate() }
            return read(descriptor, into: buffer, &progress, stopsWhenFull: false).failure
        }
        if let failure { throw failure }
    }

    /// Why reading stopped.
    private enum End {
        case goal
        case wasFull
        case failed(POSIXError)

        var failure: POSIXError? { if case .failed(let failure) = self { failure } else { nil } }
    }

    /// Reads up to the goal or the end of the file.
    private func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, _ progress: inout Progress, stopsWhenFull: Bool
    ) -> End {
        while true {
            let wanted = min(Int64(buffer.count), goal.load(ordering: .acquiring) - progress.byteCount)
            guard wanted > 0 else { return .goal }
            let count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(progress.byteCount))
            guard count > 0 else { return count < 0 ? .failed(.last) : .goal }
            progress.digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            progress.byteCount += Int64(count)
            if stopsWhenFull, count == buffer.count { return .wasFull }
        }
    }
}
