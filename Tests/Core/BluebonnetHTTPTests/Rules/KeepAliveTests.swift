// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct KeepAliveTests {
    @Test(
        arguments: [
            ([], nil), ([""], nil), (["max=100"], nil), (["timeout"], nil), (["timeout="], nil), (["timeout=x"], nil),
            (["timeout=-1"], nil), (["timeout=5"], 5), (["timeout=5, max=100"], 5), (["max=100,timeout=5"], 5),
            (["Timeout = 5"], 5), (["timeout=0"], 0), (["timeout=9", "timeout=3"], 3), (["xtimeout=5"], nil),
            (["timeout=99999999999999999999"], 31_536_000),
        ] as [([String], Int?)])
    func keepAliveTimeoutIsReadInSeconds(values: [String], seconds: Int?) {
        #expect(KeepAlive.timeout(values) == seconds)
    }
}
