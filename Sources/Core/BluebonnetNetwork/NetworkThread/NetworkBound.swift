// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Carries a non-Sendable value between threads. Only the network thread may read it.
@usableFromInline
package struct NetworkBound<Value>: @unchecked Sendable {  // safe: `value` traps on any other thread
    @usableFromInline let stored: Value

    @inlinable
    package init(_ value: sending Value) { stored = value }

    /// The value; network thread only.
    @inlinable
    package var value: Value {
        NetworkThread.preconditionIsCurrent()
        return stored
    }
}
