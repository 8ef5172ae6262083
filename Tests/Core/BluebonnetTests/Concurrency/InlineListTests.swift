// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct InlineListTests {
    @Test(arguments: 0...5) func elementsKeepTheirOrder(count: Int) {
        var list = InlineList<Int>()
        for number in 0..<count { list.append(number) }
        var visited: [Int] = []
        list.visit { visited.append($0) }
        #expect(list.all == Array(0..<count))
        #expect(visited == Array(0..<count))
    }
}
