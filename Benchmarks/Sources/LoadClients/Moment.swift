// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// A moment of the monotonic clock, cheap enough to be read twice per request.
struct Moment {
    private let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    var microsecondsAgo: Double { Double(Moment.now.nanoseconds - nanoseconds) / 1000 }
}
