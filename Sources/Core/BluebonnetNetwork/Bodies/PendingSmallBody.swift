// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// A complete small body that a thread other than the network thread will write.
///
/// Their number is limited. When files are slow, the network thread writes further bodies itself, which keeps it from
/// receiving more and more bodies, each with a descriptor.
final class PendingSmallBody: Sendable {
    static let limit = 128
    private static let count = Atomic(0)

    let bytes: Data

    /// Stores a body. Returns nil if the limit is reached.
    init?(_ bytes: Data) {
        self.bytes = bytes
        let count = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        if count > Self.limit { return nil }  // `deinit` runs for this complete object too, and decrements the count
    }

    deinit { Self.count.wrappingSubtract(1, ordering: .relaxed) }
}
