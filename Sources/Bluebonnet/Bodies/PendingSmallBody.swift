// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// A small body that is complete, and has yet to be written by another thread than the one that received it.
///
/// There are few at a time: where files are slow, the network thread has to write the next ones itself, which keeps it from
/// receiving more and more of them, each with a descriptor.
final class PendingSmallBody: Sendable {
    static let limit = 128
    private static let count = Atomic(0)

    let bytes: [UInt8]

    /// Nil when there are as many as there may be.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let count = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        if count > Self.limit { return nil }  // it is complete, so that it is let go as any other, and counted out
    }

    deinit { Self.count.wrappingSubtract(1, ordering: .relaxed) }
}
