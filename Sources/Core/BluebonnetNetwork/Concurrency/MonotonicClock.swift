// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The clock of deadlines and timings: nanoseconds since an arbitrary start, unaffected by changes of the system time.
package enum MonotonicClock {
    package static func now() -> UInt64 { bluebonnet_nanoseconds(CLOCK_MONOTONIC) }

    /// Returns the time of the last timer tick, which is up to a few milliseconds old and cheaper to read. For limits
    /// that are measured in seconds.
    package static func roughly() -> UInt64 { bluebonnet_nanoseconds(CLOCK_MONOTONIC_COARSE) }

    /// Converts seconds to nanoseconds, clamped like `Duration(clampingSeconds:)`, without the cost of `Duration`
    /// arithmetic.
    package static func nanoseconds(clampingSeconds seconds: Double) -> UInt64 {
        isLimit(seconds) ? UInt64(seconds * 1e9) : 0
    }

    fileprivate static func isLimit(_ seconds: Double) -> Bool { seconds > 0 && seconds < 1e9 }
}

extension Duration {
    /// Makes a duration from any number of seconds. Zero, negative numbers, NaN and more than about thirty years become
    /// zero, which means no limit.
    package init(clampingSeconds seconds: Double) {
        self = MonotonicClock.isLimit(seconds) ? .seconds(seconds) : .zero
    }

    /// Whole nanoseconds. A negative duration counts as zero; an overlong duration counts as `UInt64.max / 4`.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? UInt64.max / 4 : min(UInt64.max / 4, whole + UInt64(attoseconds / 1_000_000_000))
    }

    /// Seconds, including the fraction.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
