// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Comparison
import Figures
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a free port of 127.0.0.1 that follows its plan until it is stopped.
package final class FaultServer: Sendable {
    /// The port of the server.
    package let port: Int
    private let record: ServerRecord
    private let stopIt: @Sendable () -> Void

    /// Starts a server. Placeholders for origins in its texts are replaced once `Origins` are set.
    package init(_ plan: ServerPlan, _ identities: IdentityFolder? = nil) throws {
        let record = ServerRecord()
        self.record = record
        if plan.wire == .blackHole {
            let hole = try BlackHole()
            port = hole.port
            stopIt = { hole.close() }
            return
        }
        let tls = try Self.tls(plan, identities)
        let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    record.add(channel)
                    try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
                    let pipeline = channel.pipeline.syncOperations
                    let wire = WireHandler()
                    try pipeline.addHandler(wire)
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    let player = StepPlayer(channel, wire, record)
                    try pipeline.addHandler(ScriptHandler(plan, record, player))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
        stopIt = { channel.close(promise: nil) }
    }

    /// The requests that have arrived so far.
    package var report: ServerReport { record.report }

    /// Sets the origins of the case's servers.
    package func set(_ origins: Origins) { record.set(origins) }

    /// Stops listening and closes all connections.
    package func stop() {
        stopIt()
        record.closeConnections()
    }

    private static func tls(_ plan: ServerPlan, _ identities: IdentityFolder?) throws -> NIOSSLContext? {
        switch plan.wire {
        case .plain, .blackHole: return nil
        case .http2:
            var configuration = try Self.configuration(.good, identities)
            configuration.applicationProtocols = ["h2"]
            return try NIOSSLContext(configuration: configuration)
        case .tls(let identity, let version):
            var configuration = try Self.configuration(identity, identities)
            configuration.applicationProtocols = ["http/1.1"]
            if let version {
                configuration.minimumTLSVersion = version == .v10 ? .tlsv1 : .tlsv11
                configuration.maximumTLSVersion = configuration.minimumTLSVersion
            }
            return try NIOSSLContext(configuration: configuration)
        }
    }

    private static func configuration(_ identity: Identity, _ identities: IdentityFolder?) throws -> TLSConfiguration {
        guard let identities else { throw BenchmarkError("a server over TLS needs certificates") }
        return try identities.configuration(identity)
    }
}
