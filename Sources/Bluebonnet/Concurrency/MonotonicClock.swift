// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The clock of deadlines and timings: nanoseconds since an arbitrary start, which no clock change moves.
enum MonotonicClock {
    static func now() -> UInt64 { bluebonnet_nanoseconds(CLOCK_MONOTONIC) }

    /// The same time, a few milliseconds old and cheaper: for limits of seconds.
    static func roughly() -> UInt64 { bluebonnet_nanoseconds(CLOCK_MONOTONIC_COARSE) }

    /// The same as `Duration(clampingSeconds:)` in nanoseconds, without the time that calculating durations takes.
    static func nanoseconds(clampingSeconds seconds: Double) -> UInt64 {
        isLimit(seconds) ? UInt64(seconds * 1e9) : 0
    }

    fileprivate static func isLimit(_ seconds: Double) -> Bool { seconds > 0 && seconds < 1e9 }
}

extension Duration {
    /// Seconds from a caller, of which any number is allowed: more than thirty years, or no number, count as no limit
    /// (zero).
    package init(clampingSeconds seconds: Double) {
        self = MonotonicClock.isLimit(seconds) ? .seconds(seconds) : .zero
    }

    /// Whole nanoseconds; a negative duration counts as zero, one too long to count as the longest that can be.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? UInt64.max / 4 : min(UInt64.max / 4, whole + UInt64(attoseconds / 1_000_000_000))
    }

    /// Seconds with their fraction.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
