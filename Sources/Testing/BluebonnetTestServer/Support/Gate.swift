// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
public import Testing

/// A gate that is opened once: by a test, to continue a scripted reply, or for a test, when an event has happened.
public final class Gate: Sendable {
    private let opened = Observed(false)

    /// Makes a closed gate.
    public init() {}

    /// Whether the gate is open.
    public var isOpen: Bool { opened.value }

    /// Opens the gate permanently. Further calls do nothing.
    public func open() {
        opened.update { $0 = true }
    }

    /// Waits until the gate is open, or the waiting task is cancelled. Fails the test on timeout.
    public func wait(within limit: Duration = patience, at location: SourceLocation = #_sourceLocation) async {
        await opened.becomes(true, within: limit, at: location)
    }

    /// Waits until the gate is open, and blocks the thread. Must not be called in a Swift task. Fails the test on
    /// timeout.
    @available(*, noasync)
    public func waitBlocking(within limit: Duration = patience, at location: SourceLocation = #_sourceLocation) {
        let isOpen = DispatchSemaphore(value: 0)
        whenOpen { isOpen.signal() }
        guard isOpen.wait(timeout: .now() + limit / .seconds(1)) == .timedOut else { return }
        recordLateness(of: "an open gate", lastSeen: "closed", after: limit, at: location)
    }

    /// Calls `action` when the gate is open: at once, or on the thread that opens it.
    public func whenOpen(_ action: @escaping @Sendable () -> Void) {
        opened.whenSatisfied({ $0 }, action)
    }
}
