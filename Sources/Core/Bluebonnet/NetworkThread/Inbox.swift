// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Glibc

/// Work handed to the network thread from any thread: in order, with one eventfd write for a batch, not for an item.
final class Inbox: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var items: [Work] = []
        /// The network thread will look before it sleeps: nobody needs to wake it.
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

    /// Adds work at the end. The lock guards the list only; the work runs on the network thread.
    func submit(_ work: @escaping Work) {
        let mustWake = state.withLock { state in
            state.items.append(work)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if mustWake { wake() }
    }

    /// Notes that another thread does work whose outcome will be submitted.
    func expectWork() { expected.wrappingAdd(1, ordering: .relaxed) }

    /// Adds work that was expected.
    func submitExpected(_ work: @escaping Work) {
        submit { [self] in
            expected.wrappingSubtract(1, ordering: .relaxed)
            work()
        }
    }

    /// How much work is expected.
    var expectedCount: Int { expected.load(ordering: .relaxed) }

    /// Makes the eventfd readable. Writing can only fail when the counter is full, and then it is readable anyway.
    func wake() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Moves the submitted work into an empty array, whose capacity is used for later work. Network thread only; until
    /// `sleep()` says yes, submitters need not wake it.
    func takeAll(into items: inout [Work]) {
        state.withLock { state in
            state.isAwake = true
            swap(&state.items, &items)
        }
    }

    /// Whether something has been handed over since `takeAll()`.
    var hasWork: Bool { state.withLock { !$0.items.isEmpty } }

    /// Whether the network thread may sleep: nothing is waiting, and from now on a submitter wakes it.
    func sleep() -> Bool {
        state.withLock { state in
            state.isAwake = !state.items.isEmpty
            return !state.isAwake
        }
    }

    /// Empties the eventfd after it woke the thread.
    func clearWakeup() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
