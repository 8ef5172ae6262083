// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The received part of an interrupted body in memory, and the record of the representation it belongs to.
package struct ArchivedPart: Codable, Sendable {
    package let data: Data
    package let record: PartialRecord

    package init(data: Data, record: PartialRecord) {
        self.data = data
        self.record = record
    }
}
