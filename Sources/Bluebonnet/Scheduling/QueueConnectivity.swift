// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

extension RequestOperationQueue {
    /// Whether operations are kept from starting while the network as a whole cannot be reached; those that run go on,
    /// and cancelled ones end. Default false.
    ///
    /// Where the kernel does not tell whether there is a network, nothing is held.
    public var holdsWithoutConnectivity: Bool {
        get { shared.withLock { $0.holdsWithoutConnectivity } }
        set {
            let hasChanged = shared.withLock { state in
                guard state.holdsWithoutConnectivity != newValue else { return false }
                state.holdsWithoutConnectivity = newValue
                state.isHeld = newValue  // until the first answer, which takes a moment, nothing starts
                return true
            }
            guard hasChanged else { return }
            followConnectivity()
            schedule()
        }
    }

    /// Has the network thread do what the property says by then.
    private func followConnectivity() {
        NetworkThread.shared.submit { [self] in
            let isFollowing = shared.withLock { $0.holdsWithoutConnectivity }
            connectivity.value.set(isFollowing) { [weak self] reachability in
                self?.setHeld(reachability.status == .notReachable)
            }
        }
    }

    private func setHeld(_ isHeld: Bool) {
        shared.withLock { $0.isHeld = $0.holdsWithoutConnectivity && isHeld }
        schedule()
    }
}

/// A queue's view of the network as a whole, while it wants one. Network thread only.
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
