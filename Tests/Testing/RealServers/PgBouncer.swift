// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A separate pgbouncer: a connection pooler on a port of 127.0.0.1, in front of a `PostgreSQLServer`.
public final class PgBouncer: Sendable {
    /// When a server connection is given to another client.
    public enum PoolMode: String, Sendable {
        case session
        case transaction
    }

    /// Whether pgbouncer and PostgreSQL are installed. If not, prints so once on standard error.
    public static let isAvailable =
        PostgreSQLServer.isAvailable
        && Availability.decide(
            "pgbouncer", missing: ChildProcess.find("pgbouncer") == nil ? "pgbouncer is not installed" : nil)

    /// Whether pgbouncer can keep prepared statements apart in transaction mode. Version 1.21 and later can, and do
    /// so by default.
    public static let knowsPreparedStatements: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        defer { folder.remove() }
        guard let text = try? ChildProcess.run(["pgbouncer", "--version"], in: folder),
            let version = text.split(whereSeparator: \.isWhitespace).dropFirst().first
        else { return false }
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        return numbers.count > 1 && (numbers[0], numbers[1]) >= (1, 21)
    }()

    /// The port on which the pooler listens.
    public var port: Int { process.ports[0] }

    private let process: ServerProcess

    private init(process: ServerProcess) { self.process = process }

    /// Starts a pooler in front of a server. The server's user needs no password here.
    ///
    /// - Parameters:
    ///   - connectionCount: the number of connections to the server for each database.
    ///   - keepsPreparedStatements: whether clients that take turns on a connection have separate prepared
    ///     statements; see `knowsPreparedStatements`.
    public static func start(
        before server: PostgreSQLServer, _ mode: PoolMode, connectionCount: Int, keepsPreparedStatements: Bool = false
    ) async throws -> PgBouncer {
        let installation = try PostgreSQLInstallation.find()
        let statements = knowsPreparedStatements ? "max_prepared_statements = \(keepsPreparedStatements ? 200 : 0)" : ""
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            let settings = """
                [databases]
                * = host=\(server.socketFolder) port=\(server.port) user=\(PostgreSQLServer.user)
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = \(ports[0])
                unix_socket_dir =
                auth_type = any
                pool_mode = \(mode.rawValue)
                default_pool_size = \(connectionCount)
                ignore_startup_parameters = extra_float_digits,options
                \(statements)

                """
            let path = try folder.write("pgbouncer.ini", settings)
            try installation.handOver(path)
            try installation.handOver(folder.url.path)
            return installation.command(["pgbouncer", path])
        }
        return PgBouncer(process: process)
    }

    /// Stops the pooler.
    public func stop() async { await process.stop() }
}
