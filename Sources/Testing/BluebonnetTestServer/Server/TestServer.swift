// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
import NIOCore
import NIOPosix
public import Testing

/// An HTTP/1.1 and HTTP/2 server on the loopback interface that answers each request exactly as a script defines.
///
/// ```swift
/// let server = try await TestServer.start { request in
///     request.path == "/slow" ? .response(body: "late").cut(afterByteCount: 10, then: .stall) : .response(body: "hi")
/// }
/// // … send requests to server.url("/slow") …
/// await server.stop()
/// ```
/// The script runs on the single thread that all servers share, and must not block. Use a `Gate` to delay a reply.
public final class TestServer: Sendable {
    /// Returns the reply to a request.
    public typealias Script = @Sendable (ReceivedRequest) -> Reply

    /// The event-loop thread of all servers of the process, which lives as long as the process.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let options: Options
    private let listener: any Channel
    private let log: Observed<Log>
    private let registry: ConnectionRegistry

    private init(options: Options, listener: any Channel, log: Observed<Log>, registry: ConnectionRegistry) {
        (self.options, self.listener, self.log, self.registry) = (options, listener, log, registry)
    }

    deinit {
        listener.close(promise: nil)
        registry.closeAll()
    }

    /// Starts a server on a free port of 127.0.0.1, or on a Unix socket.
    public static func start(
        tls certificate: TestCertificate? = nil, unixSocket: String? = nil, _ script: @escaping Script
    ) async throws -> TestServer {
        var options = Options()
        options.certificate = certificate
        options.unixSocketPath = unixSocket
        return try await start(options, script)
    }

    /// Starts a server with options for all its connections.
    public static func start(_ options: Options, _ script: @escaping Script) async throws -> TestServer {
        let log = Observed(Log())
        let registry = ConnectionRegistry()
        let factory = try ConnectionFactory(options: options, script: script, log: log, registry: registry)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { factory.prepare($0) }
        let listener =
            if let path = options.unixSocketPath {
                try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
        return TestServer(options: options, listener: listener, log: log, registry: registry)
    }

    /// Closes the listener and all connections, and waits until they are closed. Further calls do nothing.
    public func stop() async {
        try? await listener.close().get()
        registry.closeAll()
        await waitForConnectionsToClose()
        if let path = options.unixSocketPath { unlink(path) }
    }

    /// The port; 0 for a Unix socket.
    public var port: Int { listener.localAddress?.port ?? 0 }

    /// Returns the URL of a path, with its query, on this server.
    public func url(_ path: String = "/", host: String = "127.0.0.1") -> URL {
        let scheme = options.certificate == nil ? "http" : "https"
        let authority = options.unixSocketPath == nil ? "\(host):\(port)" : "localhost"
        guard let url = URL(string: "\(scheme)://\(authority)\(path)") else {
            preconditionFailure("\(path) is not the path of a URL")
        }
        return url
    }

    /// The events so far.
    public var history: Log { log.value }

    /// Waits until the predicate is true for the log, or the waiting task is cancelled. Fails the test with the log on
    /// timeout. The predicate must be pure: it is called at every change, under a lock.
    public func wait(
        at location: SourceLocation = #_sourceLocation, until isSatisfied: @escaping @Sendable (Log) -> Bool
    ) async {
        await log.becomes(at: location, isSatisfied)
    }
}
