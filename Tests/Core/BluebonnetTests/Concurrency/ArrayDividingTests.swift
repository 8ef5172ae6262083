// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct ArrayDividingTests {
    @Test(arguments: [
        (0, 2, [0]), (1, 2, [1]), (4, 2, [4]), (7, 2, [7]), (8, 2, [4, 4]), (9, 2, [4, 5]), (9, 1, [9]),
        (10, 4, [5, 5]), (17, 4, [4, 4, 4, 5]), (64, 4, [16, 16, 16, 16]),
    ])
    func partsDifferByAtMostOneAndKeepMinimumSize(count: Int, partCount: Int, sizes: [Int]) {
        let numbers = Array(0..<count)
        let parts = numbers.divided(among: partCount, least: 4)
        #expect(parts.map(\.count) == sizes)
        #expect(parts.flatMap { $0 } == numbers)
    }
}
