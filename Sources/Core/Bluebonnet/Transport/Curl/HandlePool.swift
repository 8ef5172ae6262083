// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The easy handles of a partition that wait for their next transfer. Network thread only.
///
/// libcurl keeps the URL of a handle's last request, with its query, until the next request or the handle's end: so a
/// handle waits for `lifetime` at most.
final class HandlePool: EventLoopClient {
    /// How long a handle waits, in nanoseconds.
    static let usualLifetime: UInt64 = 1_000_000_000
    private static let limit = 128

    private struct Idle {
        let handle: EasyHandle
        let since: UInt64
    }

    private let loop: EventLoop
    private let lifetime: UInt64
    private var slot = -1
    /// The one that was used last is the last.
    @exclusivity(unchecked) private var idle: [Idle] = []
    private var isClosingScheduled = false

    init(loop: EventLoop, lifetime: UInt64 = HandlePool.usualLifetime) {
        (self.loop, self.lifetime) = (loop, lifetime)
        slot = loop.add(self)
    }

    /// How many handles wait.
    var count: Int { idle.count }

    func take(forJar usesJar: Bool) -> EasyHandle {
        guard let handle = idle.popLast()?.handle else { return EasyHandle() }
        guard RememberedHost.spoils(handle, forJar: usesJar) else { return handle }
        handle.close()
        return EasyHandle()
    }

    /// Takes back a handle that is off the multi handle.
    func recycle(_ handle: EasyHandle) {
        guard slot >= 0, handle.isReusable, idle.count < Self.limit, Tuning.current.contains(.reusedHandles) else {
            return handle.close()
        }
        handle.prepareForReuse()
        idle.append(Idle(handle: handle, since: MonotonicClock.now()))
        scheduleClosing()
    }

    /// Closes all handles; the pool is of no use afterwards.
    func close() {
        for entry in idle { entry.handle.close() }
        idle = []
        if slot >= 0 { loop.remove(slot: slot) }
        slot = -1
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    /// Closes the handles that have waited for too long.
    func deadlineHasPassed() {
        isClosingScheduled = false
        let now = MonotonicClock.now()
        let outdated = idle.prefix { now - $0.since >= lifetime }
        for entry in outdated { entry.handle.close() }
        idle.removeFirst(outdated.count)
        scheduleClosing()
    }

    /// The deadline of a handle that was taken meanwhile is left: it is one look for nothing in a lifetime.
    private func scheduleClosing() {
        guard !isClosingScheduled, let oldest = idle.first else { return }
        isClosingScheduled = true
        loop.setDeadline(oldest.since + lifetime, slot: slot)
    }
}

@available(*, unavailable)
extension HandlePool: Sendable {}
