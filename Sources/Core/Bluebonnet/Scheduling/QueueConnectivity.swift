// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

extension RequestOperationQueue {
    /// Whether the queue starts no operations while the network cannot be reached. Running operations continue, and
    /// cancelled operations end. Default false.
    ///
    /// The property has no effect where the kernel does not report network changes.
    public var holdsWithoutConnectivity: Bool {
        get { shared.withLock { $0.holdsWithoutConnectivity } }
        set {
            let hasChanged = shared.withLock { state in
                guard state.holdsWithoutConnectivity != newValue else { return false }
                state.holdsWithoutConnectivity = newValue
                state.isWaitingForNetwork = newValue  // nothing starts until the first report, which takes a moment
                return true
            }
            guard hasChanged else { return }
            followConnectivity()
            schedule()
        }
    }

    /// Makes the network thread follow the property's current value.
    private func followConnectivity() {
        NetworkThread.shared.submit { [self] in
            let isFollowing = shared.withLock { $0.holdsWithoutConnectivity }
            connectivity.value.set(isFollowing) { [weak self] reachability in
                self?.setWaitingForNetwork(reachability.status == .notReachable)
            }
        }
    }

    private func setWaitingForNetwork(_ isWaitingForNetwork: Bool) {
        shared.withLock { $0.isWaitingForNetwork = $0.holdsWithoutConnectivity && isWaitingForNetwork }
        schedule()
    }
}

/// Observes the reachability of the network for a queue, while the queue asks for it. Network thread only.
final class QueueConnectivity {
    private var observation: NetworkMonitor.Observation?

    func set(_ isFollowing: Bool, _ handler: @escaping (NetworkReachability) -> Void) {
        if isFollowing, observation == nil {
            observation = NetworkMonitor.shared.value.observe(.any, handler)
        } else if !isFollowing, let observed = observation {
            NetworkMonitor.shared.value.stop(observed)
            observation = nil
        }
    }

    func end() { set(false) { _ in } }
}

@available(*, unavailable)
extension QueueConnectivity: Sendable {}
