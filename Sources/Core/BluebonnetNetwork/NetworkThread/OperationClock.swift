// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The clock of an operation's times and events: the machine's monotonic clock, or a test's clock.
package struct OperationClock: Sendable {
    package static let machine = OperationClock()
    /// Nil for the machine's clock.
    private let source: Box<TimeSource>?

    private init() { source = nil }

    package init(_ source: TimeSource) { self.source = Box(source) }

    /// Returns nanoseconds since an arbitrary start.
    package func now() -> UInt64 { source.map { $0.value.now() } ?? MonotonicClock.now() }
}
