// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

/// Two networks with a cable between them: the client's network (10.77.0.2) and the server's network, which runs
/// `NamespaceServices`.
struct NetworkPair {
    let client: NetworkNamespace
    let server: NetworkNamespace
    let services: NamespaceProgram

    /// Makes a pair, calls `body`, and removes the pair. `body` starts a process that enters the client's side.
    static func with(_ body: (NetworkPair) async throws -> Void) async throws {
        let client = try NetworkNamespace()
        defer { client.remove() }
        let server = try NetworkNamespace()
        defer { server.remove() }
        try client.connect("v0", to: server, "v1")
        for (namespace, interface, address) in [(client, "v0", "10.77.0.2"), (server, "v1", "10.77.0.1")] {
            try namespace.ip("link set lo up")
            try namespace.ip("link set \(interface) up")
            try namespace.ip("addr add \(address)/24 dev \(interface)")
        }
        try server.batch((101..<150).map { "addr add 10.77.0.\($0)/24 dev v1" })
        // This address never answers: its packets go to a network card that does not exist.
        try client.ip("neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 nud permanent dev v0")
        let services = try await NamespaceServices.start(in: server)
        do {
            try await body(NetworkPair(client: client, server: server, services: services))
        } catch {
            await services.stop()
            throw error
        }
        await services.stop()
    }

    /// Called in a separate process: starts the network thread, and with it name lookups, in the client's namespace.
    static func enter(_ name: String) throws {
        alarm(100)  // a hanging process must not outlive its test
        nonisolated(unsafe) var failure: (any Error)?  // safe: read after the thread has ended
        let hasEntered = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                try NetworkNamespace(named: name).enter(nameServer: NamespaceServices.address)
                _ = NetworkThread.shared
            } catch {
                failure = error
            }
            hasEntered.signal()
        }
        hasEntered.wait()
        if let failure { throw failure }
    }

    /// A manager with short timeouts, for small answers.
    static func manager(_ change: (inout TransferOptions) -> Void = { _ in }) -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.responseSerializer = HTTPResponseSerializer()
        configuration.transferOptions.timeouts = Timeouts(connect: .seconds(3), idle: .seconds(10), total: .seconds(60))
        change(&configuration.transferOptions)
        return RequestOperationManager(configuration: configuration)
    }

    /// Runs a GET to its end.
    static func get(_ url: String, by manager: RequestOperationManager = manager()) async -> HTTPRequestOperation {
        let operation = manager.enqueue(manager.operation("GET", url))
        try? await operation.waitUntilEnded()
        return operation
    }
}
