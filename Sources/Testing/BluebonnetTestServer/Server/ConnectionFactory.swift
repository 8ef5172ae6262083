// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL

/// Sets up each accepted connection: numbers it, builds its pipeline, records its end.
struct ConnectionFactory: Sendable {
    let options: TestServer.Options
    let script: TestServer.Script
    let log: Observed<TestServer.Log>
    let registry: ConnectionRegistry
    private let tls: NIOSSLContext?

    init(
        options: TestServer.Options, script: @escaping TestServer.Script, log: Observed<TestServer.Log>,
        registry: ConnectionRegistry
    ) throws {
        (self.options, self.script, self.log, self.registry) = (options, script, log, registry)
        tls = try options.certificate.map { try NIOSSLContext(configuration: $0.serverConfiguration(options)) }
    }

    /// Sets up an accepted connection.
    func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let number = recordStart()
            let wire = WireHandler { received, sent in recordTraffic(of: number, received: received, sent: sent) }
            // One turn of the event loop later, so that the handlers see the end first and record the bytes that had
            // arrived.
            channel.closeFuture.whenComplete { _ in channel.eventLoop.execute { recordEnd(number) } }
            try setOptions(channel)
            try channel.pipeline.syncOperations.addHandler(wire)
            if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
            let handler = ConnectionHandler(number: number, factory: self, channel: channel, wire: wire)
            try channel.pipeline.syncOperations.addHandler(handler)
            let bound = NIOLoopBound(wire, eventLoop: channel.eventLoop)
            registry.add(number) { bound.eventLoop.execute { bound.value.close() } }
        }
    }

    /// Records the first error of a connection.
    func recordFailure(_ number: Int, _ words: String) {
        log.update { log in
            if log.connections[number - 1].failure == nil { log.connections[number - 1].failure = words }
        }
    }

    private func setOptions(_ channel: any Channel) throws {
        guard let sync = channel.syncOptions else { return }
        if options.unixSocketPath == nil { try sync.setOption(.tcpOption(.tcp_nodelay), value: 1) }
        if let size = options.sendBufferByteCount {
            try sync.setOption(.socketOption(.so_sndbuf), value: .init(size))
        }
    }

    private func recordStart() -> Int {
        log.update { log in
            log.connections.append(.init(number: log.connections.count + 1))
            log.openConnectionCount += 1
            return log.connections.count
        }
    }

    private func recordTraffic(of number: Int, received: Int, sent: Int) {
        log.update { log in
            log.connections[number - 1].receivedByteCount += received
            log.connections[number - 1].sentByteCount += sent
        }
    }

    private func recordEnd(_ number: Int) {
        registry.remove(number)
        log.update { log in
            log.connections[number - 1].isOpen = false
            log.openConnectionCount -= 1
        }
    }
}
