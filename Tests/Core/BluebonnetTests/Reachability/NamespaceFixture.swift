// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Two separate networks with a cable between them: `v0` is the client's end, `v1` the server's end. The client's
/// side is bare. The server has 10.77.0.1 and fd77::1.
struct CabledNamespaces {
    let client: NetworkNamespace
    let server: NetworkNamespace

    private init() throws {
        client = try NetworkNamespace()
        server = try NetworkNamespace()
    }

    private init(_ names: [String]) {
        client = NetworkNamespace(named: names[0])
        server = NetworkNamespace(named: names[1])
    }

    /// Makes a pair, passes its names to `body`, which starts a process that enters the pair, and always removes the
    /// pair.
    static func with(_ body: (_ names: [String]) async throws -> Void) async throws {
        let pair = try CabledNamespaces()
        defer { pair.remove() }
        try pair.connect()
        try await body([pair.client.name, pair.server.name])
    }

    /// Enters the pair in a separate process. From now on, the process's network thread lives in the client's
    /// network.
    static func enter(_ names: [String]) throws -> CabledNamespaces {
        alarm(100)  // a process that hangs must not outlive its test
        let pair = CabledNamespaces(names)
        try pair.client.inside { _ = NetworkThread.shared }
        return pair
    }

    /// Connects the cable and sets the server's side up.
    private func connect() throws {
        try client.connect("v0", to: server, "v1")
        try server.ip("link set lo up")
        try server.ip("link set v1 up")
        try server.ip("addr add 10.77.0.1/24 dev v1")
        try server.ip("addr add fd77::1/64 dev v1 nodad")
    }

    /// Sets the client's side up, with 10.77.0.2.
    func setClientUp() throws {
        try client.ip("link set v0 up")
        try client.ip("addr add 10.77.0.2/24 dev v0")
    }

    private func remove() {
        client.remove()
        server.remove()
    }
}

/// The statuses that a manager reported, in order.
final class ReachabilityLog: Sendable {
    let manager: NetworkReachabilityManager
    let statuses = Observed([NetworkReachabilityStatus]())

    init(_ manager: NetworkReachabilityManager) {
        self.manager = manager
        manager.setReachabilityStatusChangeBlock { [statuses] in statuses.append($0) }
        manager.startMonitoring()
    }

    convenience init(address: String) throws {
        self.init(NetworkReachabilityManager(address: try #require(IPAddress(address))))
    }

    /// Waits until the last reported status is this status.
    func becomes(_ status: NetworkReachabilityStatus, at location: SourceLocation = #_sourceLocation) async {
        await statuses.becomes(at: location) { $0.last == status }
    }
}

/// Makes a network monitor in addition to the process's own monitor.
func makeMonitor(
    _ settings: NetworkMonitor.Settings = NetworkMonitor.Settings()
) async -> NetworkBound<NetworkMonitor> {
    await withCheckedContinuation { made in
        NetworkThread.shared.submit {
            made.resume(
                returning: NetworkBound(NetworkMonitor(loop: NetworkThread.shared.eventLoop, settings: settings)))
        }
    }
}

/// Runs work with a monitor on the network thread.
func onNetworkThread<Value: Sendable>(
    _ monitor: NetworkBound<NetworkMonitor>, _ work: @escaping @Sendable (NetworkMonitor) -> Value
) async -> Value {
    await withCheckedContinuation { done in
        NetworkThread.shared.submit { done.resume(returning: work(monitor.value)) }
    }
}
