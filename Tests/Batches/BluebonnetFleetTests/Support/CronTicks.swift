// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

@testable import BluebonnetFleet

extension CronExpression {
    /// The ticks after an instant, in order, each found from the one before.
    func ticks(after start: Date, in zone: TimeZone) -> some Sequence<Date> {
        sequence(first: start) { next(after: $0, in: zone) }.dropFirst()
    }
}
