// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many connections each client may have: the same for all of them.
package struct ConnectionLimits: Equatable, Sendable {
    /// How many requests may be in flight.
    package let inFlight: Int
    /// How many connections an origin may have: twice its part of the requests in flight, as the parts are not equal,
    /// but no more than there are requests in flight.
    package let perOrigin: Int
    /// How many connections there may be, idle ones included, so that none is closed for another.
    package let kept: Int

    package init(inFlight: Int, originCount: Int = 1) {
        self.inFlight = inFlight
        perOrigin = min(inFlight, 2 * ((inFlight + originCount - 1) / originCount))
        kept = perOrigin * originCount
    }
}
