// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A body stream that can be had again, for a redirect, a challenge or a resume that sends the body a second time.
public protocol ReplayableBodyStream: InputStream {
    /// A new stream with the same bytes from the start; nil when they cannot be had again.
    func makeReplay() -> InputStream?
}
