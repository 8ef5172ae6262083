// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Glibc

/// Passes work from any thread to the network thread, in order, with one eventfd write for a batch instead of one for
/// each item.
package final class Inbox: Sendable {
    package typealias Work = @Sendable () -> Void

    /// The state that the lock protects.
    private struct State {
        var items: [Work] = []
        /// Whether the network thread will check the inbox before it sleeps, so that it need not be woken.
        var isAwake = false
    }

    private let state = Mutex(State(), rank: .inbox)
    private let expected = Atomic(0)
    /// The eventfd that wakes the network thread.
    let descriptor: CInt

    init() {
        descriptor = EventLoop.retried { eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC)) }
        precondition(descriptor >= 0, "no descriptor is left for the network thread's eventfd")
    }

    deinit { close(descriptor) }

    /// Adds work at the end. The lock protects only the list; the work runs on the network thread.
    package func submit(_ work: @escaping Work) {
        let mustWake = state.withLock { state in
            state.items.append(work)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if mustWake { wake() }
    }

    /// Records that another thread does work whose outcome will be submitted.
    package func expectWork() { expected.wrappingAdd(1, ordering: .relaxed) }

    /// Adds expected work.
    package func submitExpected(_ work: @escaping Work) {
        submit { [self] in
            expected.wrappingSubtract(1, ordering: .relaxed)
            work()
        }
    }

    /// The number of expected work items.
    var expectedCount: Int { expected.load(ordering: .relaxed) }

    /// Makes the eventfd readable. The write can fail only if the counter is full, and the eventfd is readable then.
    func wake() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Moves the submitted work into an empty array, whose capacity is used for later work. Network thread only. Until
    /// `sleep()` returns true, submitters need not wake the thread.
    func drain(into items: inout [Work]) {
        state.withLock { state in
            state.isAwake = true
            swap(&state.items, &items)
        }
    }

    /// Whether work was submitted since `drain(into:)`.
    var hasWork: Bool { state.withLock { !$0.items.isEmpty } }

    /// Returns whether the network thread may sleep: the inbox is empty, and from now on a submitter wakes the thread.
    func sleep() -> Bool {
        state.withLock { state in
            state.isAwake = !state.items.isEmpty
            return !state.isAwake
        }
    }

    /// Empties the eventfd after it has woken the thread.
    func clearWakeup() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
