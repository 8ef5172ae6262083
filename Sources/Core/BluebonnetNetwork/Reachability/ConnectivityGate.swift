// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Defers work that needs a route to a target until there is a route, or until a time limit passes. Network thread
/// only. The gate does not depend on the kind of work.
///
/// Nothing is deferred if the status is `unknown`, because the kernel does not report it. A target is observed while
/// work waits for it, and for a moment longer, so that successive requests do not each query the kernel.
package final class ConnectivityGate: EventLoopClient {
    package typealias Ticket = UInt64

    private static let lingerTime: UInt64 = 2_000_000_000

    /// An observed target and its last known status.
    private struct Followed {
        var observation: NetworkMonitor.Observation?
        var status: NetworkReachabilityStatus?
    }

    /// Deferred work.
    private struct Wait {
        let target: ReachabilityTarget
        let deadline: UInt64
        let action: (_ isOpen: Bool) -> Void
    }

    private let monitor: NetworkMonitor
    private let loop: EventLoop
    private var slot = -1
    private var followed: [ReachabilityTarget: Followed] = [:]
    private var waits: [Ticket: Wait] = [:]
    private var lastTicket: Ticket = 0
    private var nextDeadline = UInt64.max
    private var lingerDeadline = UInt64.max

    package init(monitor: NetworkMonitor, loop: EventLoop) {
        self.monitor = monitor
        self.loop = loop
        slot = loop.add(self)
    }

    /// Waits for a route to a target. Returns nil if there is a route already, or the status is `unknown`. Otherwise
    /// `action` is called once, later, on the network thread: with true if there is a route, with false if the time
    /// limit has passed.
    ///
    /// - Parameter limit: in nanoseconds; 0 means no limit.
    package func wait(
        for target: ReachabilityTarget, limit: UInt64, _ action: @escaping (_ isOpen: Bool) -> Void
    ) -> Ticket? {
        defer { linger() }
        guard !isOpen(target) else { return nil }
        lastTicket += 1
        let deadline = limit == 0 ? .max : MonotonicClock.now() + limit
        waits[lastTicket] = Wait(target: target, deadline: deadline, action: action)
        nextDeadline = min(nextDeadline, deadline)
        return lastTicket
    }

    /// Stops waiting. The action is not called.
    package func withdraw(_ ticket: Ticket) {
        waits[ticket] = nil
        linger()
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    func deadlineHasPassed() {
        let now = MonotonicClock.now()
        if nextDeadline <= now { endOverdueWaits(now) }
        if lingerDeadline <= now { stopFollowing() }
        updateDeadline()
    }
}

@available(*, unavailable)
extension ConnectivityGate: Sendable {}

extension ConnectivityGate {
    /// Returns whether a target may be reached. The addresses of a name matter only if the network as a whole cannot
    /// be reached, as on an isolated network.
    private func isOpen(_ target: ReachabilityTarget) -> Bool {
        guard case .domain = target else { return isOpen(status(of: target)) }
        guard let overall = status(of: .any) else { return false }
        return isOpen(overall) || isOpen(status(of: target))
    }

    private func isOpen(_ status: NetworkReachabilityStatus?) -> Bool {
        status.map { $0 != .notReachable } ?? false
    }

    /// Returns the known status of a target, and begins to observe the target.
    private func status(of target: ReachabilityTarget) -> NetworkReachabilityStatus? {
        if let entry = followed[target] { return entry.status }
        followed[target] = Followed()
        let observation = monitor.observe(target) { [weak self] reachability in
            self?.followed[target]?.status = reachability.status
            self?.resumeWaiting()
        }
        followed[target]?.observation = observation
        return followed[target]?.status
    }

    private func resumeWaiting() {
        let free = waits.filter { isOpen($0.value.target) }
        end(free, isOpen: true)
    }

    private func endOverdueWaits(_ now: UInt64) {
        end(waits.filter { $0.value.deadline <= now }, isOpen: false)
        nextDeadline = waits.values.map(\.deadline).min() ?? .max
    }

    /// Ends waiting in the order of arrival.
    private func end(_ ended: [Ticket: Wait], isOpen: Bool) {
        for (ticket, wait) in ended.sorted(by: { $0.key < $1.key }) where waits.removeValue(forKey: ticket) != nil {
            wait.action(isOpen)
        }
        linger()
    }

    private func linger() {
        lingerDeadline = waits.isEmpty && !followed.isEmpty ? MonotonicClock.now() + Self.lingerTime : .max
        updateDeadline()
    }

    private func stopFollowing() {
        lingerDeadline = .max
        let observations = followed.values.compactMap(\.observation)
        followed = [:]
        for observation in observations { monitor.stop(observation) }
    }

    private func updateDeadline() {
        loop.setDeadline(min(nextDeadline, lingerDeadline), slot: slot)
    }
}
