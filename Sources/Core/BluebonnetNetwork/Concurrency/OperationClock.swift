// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The clock of an operation's times and events: the machine's monotonic clock, or a test's clock.
package struct OperationClock: Sendable {
    private final class Source: Sendable {
        let now: @Sendable () -> UInt64

        init(_ now: @escaping @Sendable () -> UInt64) { self.now = now }
    }

    package static let machine = OperationClock()
    /// Nil for the machine's clock.
    private let source: Source?

    private init() { source = nil }

    /// - Parameter now: returns nanoseconds since an arbitrary start.
    package init(_ now: @escaping @Sendable () -> UInt64) { source = Source(now) }

    package func now() -> UInt64 { source?.now() ?? MonotonicClock.now() }
}
