// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A gate that a test opens once, to say when a scripted reply may go on.
public final class Gate: Sendable {
    private let opened = Observed(false)

    /// Makes a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool { opened.value }

    /// Opens the gate for ever. Opening it again does nothing.
    public func open() {
        opened.update { $0 = true }
    }

    /// Waits until the gate is open, or the waiting task is cancelled.
    public func wait() async {
        await opened.wait { $0 }
    }

    /// Calls `action` once the gate is open: at once, or on the thread that opens it.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        opened.whenSatisfied({ $0 }, action)
    }
}
