// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct Int64ClampingTests {
    @Test(arguments: [
        (1, 2, 3), (Int64.max, 0, .max), (.max, 1, .max), (.max, .max, .max), (.min, -1, .min), (.max, .min, -1),
    ])
    func sumIsClamped(_ first: Int64, _ second: Int64, _ sum: Int64) {
        #expect(first.addingClamped(second) == sum)
        #expect(second.addingClamped(first) == sum)
    }
}
