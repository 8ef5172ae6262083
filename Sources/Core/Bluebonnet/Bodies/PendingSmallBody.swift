// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// A complete small body that another thread than the network thread will write.
///
/// The number is limited: when files are slow, the network thread writes further ones itself, which keeps it from
/// receiving more and more bodies, each with a descriptor.
final class PendingSmallBody: Sendable {
    static let limit = 128
    private static let count = Atomic(0)

    let bytes: Data

    /// Keeps a body; nil when there are as many as the limit allows.
    init?(_ bytes: Data) {
        self.bytes = bytes
        let count = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        if count > Self.limit { return nil }  // it is complete, so that it is let go as any other, and counted out
    }

    deinit { Self.count.wrappingSubtract(1, ordering: .relaxed) }
}
