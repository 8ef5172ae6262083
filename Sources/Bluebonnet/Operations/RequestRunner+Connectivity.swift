// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// Waiting for connectivity comes before admission, because a waiting operation needs no slot.
extension RequestRunner {
    /// Waits for connectivity if the operation is to, then for admission.
    func enqueue() {
        guard let prepared, let origin = nextOrigin else {
            return end(with: NetworkingError(.badURL, "the request has no usable URL"))
        }
        guard prepared.resolvedOptions.value.waitsForConnectivity else { return waitForAdmission(origin) }
        let options = prepared.options
        guard let target = options.connectivityTarget(host: origin.host) else {
            return waitForAdmission(origin)
        }
        let limit = options.connectivityTimeout.nanoseconds
        let ticket = ConnectivityGate.shared.value.wait(for: target, limit: limit) { [self] isOpen in
            phase = .idle
            guard isOpen else { return end(with: Self.noConnectivity(origin, options.connectivityTimeout)) }
            waitForAdmission(origin)
        }
        guard let ticket else { return waitForAdmission(origin) }
        phase = .waitingForConnectivity(ticket)
    }

    /// Stops waiting for connectivity.
    func withdraw(_ ticket: ConnectivityGate.Ticket) {
        ConnectivityGate.shared.value.withdraw(ticket)
    }

    private static func noConnectivity(_ origin: Origin, _ limit: Duration) -> NetworkingError {
        NetworkingError(.notConnected, "there was no network by which to reach \(origin.host) for \(limit)")
    }
}

extension TransferOptions {
    /// What has to be reachable for a request to a host: the proxy if there is one; nil when no network is needed.
    func connectivityTarget(host: String) -> ReachabilityTarget? {
        guard unixSocketPath == nil else { return nil }
        if let proxy { return URLComponents(string: proxy.url)?.host.map(ReachabilityTarget.init(host:)) }
        return ReachabilityTarget(host: addressOverrides[host] ?? host)
    }
}
