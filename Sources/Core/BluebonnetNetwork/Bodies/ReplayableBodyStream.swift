// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A body stream that can be read again when a redirect, a challenge or a resume sends the body a second time.
public protocol ReplayableBodyStream: InputStream {
    /// Returns a new stream with the same bytes from the start; nil if that is not possible.
    func makeReplay() -> InputStream?
}
