// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The received part of an interrupted body in memory, and the record of the representation it belongs to.
struct ArchivedPart: Codable, Sendable {
    let data: Data
    let record: PartialRecord
}
