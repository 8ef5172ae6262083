// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A third-party SOCKS proxy that resolves names itself: Dante or, on systems without Dante (Debian 13), MicroSocks.
public final class SOCKSServer: Sendable {
    /// Whether Dante or MicroSocks is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "SOCKS",
        missing: ChildProcess.find("danted") == nil && ChildProcess.find("microsocks") == nil
            ? "neither danted (dante-server) nor microsocks is installed" : nil)

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a proxy and waits until it listens. Dante refuses connections to port 9 by a rule.
    public static func start() async throws -> SOCKSServer {
        let hasDante = ChildProcess.find("danted") != nil
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            // MicroSocks tries only one address of a name: the first address in the family that it is bound to.
            guard hasDante else {
                return ["microsocks", "-i", "127.0.0.1", "-p", "\(ports[0])", "-b", "127.0.0.1"]
            }
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
        return SOCKSServer(process: process)
    }

    /// The port.
    public var port: Int { process.ports[0] }

    /// Whether the proxy has logged a connection to a port of this machine.
    public func hasConnected(toPort port: Int) -> Bool {
        let log = process.output
        return ["127.0.0.1.", "127.0.0.1:", "localhost:"].contains { log.contains("\($0)\(port)") }
    }

    /// Stops the proxy and waits until it is gone.
    public func stop() async { await process.stop() }
}
