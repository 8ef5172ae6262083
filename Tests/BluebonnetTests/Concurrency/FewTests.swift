// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct FewTests {
    @Test(arguments: 0...5) func elementsKeepTheirOrder(count: Int) {
        var few = Few<Int>()
        for number in 0..<count { few.append(number) }
        var visited: [Int] = []
        few.visit { visited.append($0) }
        #expect(few.all == Array(0..<count))
        #expect(visited == Array(0..<count))
    }
}
