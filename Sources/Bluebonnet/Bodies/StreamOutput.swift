// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The consumer of a streamed response body.
struct StreamOutput: Sendable {
    /// How many bytes may wait for an output stream.
    static let streamCapacity = 256 * 1024

    let channel: BodyChannel
    /// Nil when somebody iterates.
    let stream: QueueBound<OutputStream>?
}
