// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetBatch

@Suite struct LineLaneTests {
    @Test(arguments: [
        ("http://Host:80/path", "http://host:80"), ("https://h?q", "https://h"), ("//h/x", "//h"), ("path/x", ""),
        ("/a://b", ""), ("${a.body.url}", ""), ("http://h", "http://h"), ("HTTP://[::1]:8/#", "http://[::1]:8"),
        ("", ""), ("http:/x", ""), ("http://\u{E4}.de/x", "http://\u{E4}.de"),
    ])
    func originIsTheTextBeforeThePath(url: String, lane: String) {
        #expect(RequestLine.lane(of: url) == lane)
    }

    @Test func laneIsListedOnceForEachPriorityThatHasLines() {
        var lane = LineLane()
        lane.insert(4, priority: 2)
        lane.insert(3, priority: 0)
        lane.insert(2, priority: 2)
        let (first, second) = (lane.list(), lane.list())
        #expect(first == [2, 0] && second == [])
        lane.unlist(priority: 2)
        let (third, taken) = (lane.list(), [lane.popFirst(priority: 2), lane.popFirst(priority: 1)])
        #expect(third == [2] && taken == [2, nil])
    }
}
