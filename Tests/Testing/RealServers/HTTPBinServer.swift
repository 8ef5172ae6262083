// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// A separate httpbin (Python, under gunicorn): redirects, authentication, codings, cookies, and an echo of each
/// request.
public final class HTTPBinServer: Sendable {
    /// Whether a Python with httpbin and gunicorn was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "httpbin", missing: python == nil ? "no Python with httpbin and gunicorn was found" : nil)

    private static let python = PythonModules.python(with: "httpbin, gunicorn")

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server and waits until it listens.
    public static func start() async throws -> HTTPBinServer {
        guard let python else { throw TestServerError("no Python with httpbin and gunicorn was found") }
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            // gunicorn ignores settings that its version does not know.
            let settings = """
                bind = "127.0.0.1:\(ports[0])"
                worker_class = "gthread"
                threads = 16
                graceful_timeout = 1
                worker_tmp_dir = "\(folder.url.path)"
                control_socket_disable = True

                """
            let path = try folder.write("gunicorn.conf.py", settings)
            return [python, "-m", "gunicorn", "--config", path, "httpbin:app"]
        }
        return HTTPBinServer(process: process)
    }

    /// The port.
    public var port: Int { process.ports[0] }

    /// The URL of a path.
    public func url(_ path: String = "/") -> URL { loopbackURL("http", port, path) }

    /// Stops the server and waits until it is gone.
    public func stop() async { await process.stop() }
}
