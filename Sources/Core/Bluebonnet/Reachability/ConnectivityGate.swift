// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Holds back what needs a way to some target until there is one, or until its time is up. Network thread only; it does
/// not know what waits.
///
/// What is not known (the kernel refuses to tell) holds nobody back. A target is followed while somebody waits for it
/// and for a moment longer, so that requests one after another do not each ask the kernel.
final class ConnectivityGate: EventLoopClient {
    typealias Ticket = UInt64

    private static let lingerTime: UInt64 = 2_000_000_000

    private struct Followed {
        var observation: NetworkMonitor.Observation?
        var status: NetworkReachabilityStatus?
    }

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

    init(monitor: NetworkMonitor, loop: EventLoop) {
        self.monitor = monitor
        self.loop = loop
        slot = loop.add(self)
    }

    /// Waits for a way to a target. Nil when there is one already, or nobody can tell; otherwise `action` is called
    /// once, later, on the network thread: with true when there is a way, with false when the time is up.
    ///
    /// - Parameter limit: in nanoseconds; 0 is no limit.
    func wait(
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

    /// Stops waiting; the action is not called.
    func withdraw(_ ticket: Ticket) {
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
    /// A name's addresses are of interest only when not even the network as a whole can be reached: on a network of its
    /// own without a way out.
    private func isOpen(_ target: ReachabilityTarget) -> Bool {
        guard case .domain = target else { return isOpen(status(of: target)) }
        guard let overall = status(of: .any) else { return false }
        return isOpen(overall) || isOpen(status(of: target))
    }

    private func isOpen(_ status: NetworkReachabilityStatus?) -> Bool {
        status.map { $0 != .notReachable } ?? false
    }

    /// What is known of a target, which is followed from now on.
    private func status(of target: ReachabilityTarget) -> NetworkReachabilityStatus? {
        if let entry = followed[target] { return entry.status }
        followed[target] = Followed()
        let observation = monitor.observe(target) { [weak self] reachability in
            self?.followed[target]?.status = reachability.status
            self?.letThrough()
        }
        followed[target]?.observation = observation
        return followed[target]?.status
    }

    private func letThrough() {
        let free = waits.filter { isOpen($0.value.target) }
        end(free, isOpen: true)
    }

    private func endOverdueWaits(_ now: UInt64) {
        end(waits.filter { $0.value.deadline <= now }, isOpen: false)
        nextDeadline = waits.values.map(\.deadline).min() ?? .max
    }

    /// In the order in which they came.
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
