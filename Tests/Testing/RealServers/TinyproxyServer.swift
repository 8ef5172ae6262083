// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A separate tinyproxy: an HTTP proxy that forwards requests and makes tunnels.
public final class TinyproxyServer: Sendable {
    /// Whether tinyproxy is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "tinyproxy", missing: ChildProcess.find("tinyproxy") == nil ? "tinyproxy is not installed" : nil)

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a proxy and waits until it listens.
    ///
    /// - Parameters:
    ///   - credential: the user name and password that the proxy requires; nil for none.
    ///   - tunnelPort: the only port that the proxy makes tunnels to; nil for any.
    public static func start(
        credential: (user: String, password: String)? = nil, tunnelPort: Int? = nil
    ) async throws -> TinyproxyServer {
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            var settings = """
                Port \(ports[0])
                Listen 127.0.0.1
                Timeout 30
                LogLevel Connect
                MaxClients 100

                """
            if let credential { settings += "BasicAuth \(credential.user) \(credential.password)\n" }
            if let tunnelPort { settings += "ConnectPort \(tunnelPort)\n" }
            return ["tinyproxy", "-d", "-c", try folder.write("tinyproxy.conf", settings)]
        }
        return TinyproxyServer(process: process)
    }

    /// The port.
    public var port: Int { process.ports[0] }

    /// The proxy's log so far: a line for each connection and each request.
    public var log: String { process.output }

    /// Stops the proxy and waits until it is gone.
    public func stop() async { await process.stop() }
}
