// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import LoadClients
import Testing

@Suite struct ConnectionLimitsTests {
    @Test(arguments: [(1, 1, 20), (2, 2, 40), (20, 2, 40), (21, 4, 80), (64, 8, 160), (1000, 100, 2000)])
    func originMayHaveTwiceItsShareOfRequestsInFlight(inFlight: Int, perOrigin: Int, kept: Int) {
        let limits = ConnectionLimits(inFlight: inFlight, originCount: 20)
        #expect((limits.inFlight, limits.perOrigin, limits.kept) == (inFlight, perOrigin, kept))
    }

    @Test(arguments: [1, 64, 1000])
    func singleOriginMayHaveAConnectionPerRequestInFlight(inFlight: Int) {
        let limits = ConnectionLimits(inFlight: inFlight)
        #expect((limits.perOrigin, limits.kept) == (inFlight, inFlight))
    }
}
