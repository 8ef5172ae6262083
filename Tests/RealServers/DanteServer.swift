// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A Dante of its own: a SOCKS proxy that resolves names itself.
public final class DanteServer: Sendable {
    /// Whether danted is installed. Tells once, on standard error, when it is not.
    public static let isAvailable = Availability.decide(
        "dante", missing: ChildProcess.find("danted") == nil ? "danted (dante-server) is not installed" : nil)

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a proxy and waits until it listens. It refuses connections to port 9 and makes all others.
    public static func start() async throws -> DanteServer {
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            let settings = """
                logoutput: stdout
                internal: 127.0.0.1 port = \(ports[0])
                external: lo
                clientmethod: none
                socksmethod: none
                client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
                socks block { from: 127.0.0.0/8 to: 0.0.0.0/0 port = 9 }
                socks pass {
                    from: 127.0.0.0/8 to: 0.0.0.0/0
                    log: connect
                }

                """
            return ["danted", "-f", try folder.write("danted.conf", settings), "-p", folder.path("danted.pid")]
        }
        return DanteServer(process: process)
    }

    /// The port.
    public var port: Int { process.ports[0] }

    /// What it has logged so far, with each target by name or address as it was asked for.
    public var log: String { process.output }

    /// Stops the proxy and waits until it is gone.
    public func stop() async { await process.stop() }
}
