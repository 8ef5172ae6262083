// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A separate mitmproxy: an HTTP proxy that reads the traffic. It shows clients certificates that its own authority
/// has just issued.
public final class MitmproxyServer: Sendable {
    /// Whether a Python with mitmproxy was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "mitmproxy", missing: python == nil ? "no Python with mitmproxy was found" : nil)

    private static let python = PythonModules.python(with: "mitmproxy.tools.main", in: "mitmproxy-venv")

    private let process: ServerProcess
    /// The PEM file of the certificate of the proxy's authority.
    public let caPath: String

    private init(process: ServerProcess, caPath: String) {
        self.process = process
        self.caPath = caPath
    }

    /// Starts a proxy that trusts every server, and waits until it listens.
    ///
    /// - Parameter mode: mitmproxy's mode: `regular`, `upstream:http://HOST:PORT` to forward to another proxy,
    ///   `reverse:https://HOST:PORT` to take a server's place.
    public static func start(mode: String = "regular") async throws -> MitmproxyServer {
        guard let python else { throw TestServerError("no Python with mitmproxy was found") }
        let path = Observed("")
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            path.update { $0 = folder.path("mitmproxy-ca-cert.pem") }
            return [
                python, "-c", "from mitmproxy.tools.main import mitmdump; mitmdump()", "--listen-host", "127.0.0.1",
                "--listen-port", String(ports[0]), "--mode", mode, "--ssl-insecure",
                "--set", "confdir=\(folder.url.path)",
            ]
        }
        return MitmproxyServer(process: process, caPath: path.value)
    }

    /// The port.
    public var port: Int { process.ports[0] }

    /// The proxy's output so far: a line for each request that it has read.
    public var log: String { process.output }

    /// Stops the proxy and waits until it is gone.
    public func stop() async { await process.stop() }
}
