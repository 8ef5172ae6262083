// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Pools the easy handles of a partition between transfers. Network thread only.
///
/// libcurl keeps the URL of a handle's last request, including its query, until the next request or until the handle
/// is closed. A handle therefore stays in the pool for at most `lifetime`.
final class HandlePool: EventLoopClient {
    /// How long a handle stays in the pool, in nanoseconds.
    static let usualLifetime: UInt64 = 1_000_000_000
    private static let limit = 128

    /// An idle handle and the instant since which it has been idle.
    private struct Idle {
        let handle: EasyHandle
        let since: UInt64
    }

    private let loop: EventLoop
    private let lifetime: UInt64
    private var slot = -1
    /// The idle handles; the most recently used handle is the last.
    @exclusivity(unchecked) private var idle: [Idle] = []
    private var isClosingScheduled = false

    init(loop: EventLoop, lifetime: UInt64 = HandlePool.usualLifetime) {
        (self.loop, self.lifetime) = (loop, lifetime)
        slot = loop.add(self)
    }

    /// The number of idle handles.
    var count: Int { idle.count }

    func acquire(forJar usesJar: Bool) -> EasyHandle {
        guard let handle = idle.popLast()?.handle else { return EasyHandle() }
        guard RememberedHost.spoils(handle, forJar: usesJar) else { return handle }
        handle.close()
        return EasyHandle()
    }

    /// Returns a handle to the pool. The handle must not be on the multi handle.
    func recycle(_ handle: EasyHandle) {
        guard slot >= 0, handle.isReusable, idle.count < Self.limit, Tuning.current.contains(.reusedHandles) else {
            return handle.close()
        }
        handle.prepareForReuse()
        idle.append(Idle(handle: handle, since: MonotonicClock.now()))
        scheduleClosing()
    }

    /// Closes all handles. The pool must not be used afterwards.
    func close() {
        for entry in idle { entry.handle.close() }
        idle = []
        if slot >= 0 { loop.remove(slot: slot) }
        slot = -1
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    /// Closes the handles that were idle for too long.
    func deadlineHasPassed() {
        isClosingScheduled = false
        let now = MonotonicClock.now()
        let outdated = idle.prefix { now - $0.since >= lifetime }
        for entry in outdated { entry.handle.close() }
        idle.removeFirst(outdated.count)
        scheduleClosing()
    }

    /// Schedules closing the oldest handle. The deadline is kept when the handle is taken from the pool: this costs
    /// one unnecessary check for each lifetime.
    private func scheduleClosing() {
        guard !isClosingScheduled, let oldest = idle.first else { return }
        isClosingScheduled = true
        loop.setDeadline(oldest.since + lifetime, slot: slot)
    }
}

@available(*, unavailable)
extension HandlePool: Sendable {}
