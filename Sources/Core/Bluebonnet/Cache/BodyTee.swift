// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A copy of a body for the cache, up to a limit. Network thread only.
final class BodyTee {
    /// The bytes; nil if there were too many.
    private(set) var data: Data? = Data()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let count = data?.count else { return }
        if count + bytes.count > limit { data = nil } else { data?.append(contentsOf: bytes) }
    }
}

@available(*, unavailable)
extension BodyTee: Sendable {}
