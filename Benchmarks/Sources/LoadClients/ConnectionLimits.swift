// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The limits of connections, which are the same for every client.
package struct ConnectionLimits: Equatable, Sendable {
    /// The maximum number of requests in flight.
    package let inFlight: Int
    /// The maximum number of connections to an origin: twice its share of the requests in flight, because the shares
    /// are not equal, but at most the number of requests in flight.
    package let perOrigin: Int
    /// The maximum number of connections, including idle ones, so that no connection is closed for another.
    package let kept: Int

    package init(inFlight: Int, originCount: Int = 1) {
        self.inFlight = inFlight
        perOrigin = min(inFlight, 2 * ((inFlight + originCount - 1) / originCount))
        kept = perOrigin * originCount
    }
}
