// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A body in memory that was interrupted, and what it is a part of.
struct ArchivedPart: Codable, Sendable {
    let data: Data
    let record: PartialRecord
}
