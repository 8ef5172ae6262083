// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// A separate nginx: HTTP/1.1 on one port, and TLS with HTTP/2 on another.
///
/// It serves files with ranges, entity tags and gzip, and also:
/// - `/tiny`: "Hello, world!"
/// - `/redirect`: 302 to `/tiny`; `/redirect-307`: 307 to `/upload`
/// - `/upload`: accepts any body with any method, answers 200 and "received" when the whole body has arrived
/// - `/tagged/NAME`, `/dated/NAME`, `/bare/NAME`, `/whole/NAME`: a file, slowly: with entity tag and date, with a
///   date only, with neither, and with both but without ranges
/// - `/limited/NAME`: a file, at most 50 a second; 429 for any other request
/// - `/to/PORT/…`: the answer of a server on that port of 127.0.0.1, unbuffered in both directions
/// - `/session`: "r" if the TLS session was resumed, "." if not
/// - `/tls`: protocol, cipher, ALPN and the client certificate's subject and verdict, one line each
///
/// A third port speaks TLS, too. It asks for a client certificate of the test authority, and staples the proof that
/// the server's certificate was not revoked.
public final class NginxServer: Sendable {
    /// Whether nginx and openssl are installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "nginx",
        missing: ["nginx", "openssl"].first { ChildProcess.find($0) == nil }.map { "\($0) is not installed" })

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server for the files of a folder, and waits until it listens.
    ///
    /// - Parameter directives: additional configuration for the first two ports.
    public static func start(documentRoot: URL, directives: String = "") async throws -> NginxServer {
        let process = try await ServerProcess.start(portCount: 3) { folder, ports in
            let settings = NginxSettings(
                folder: folder, documentRoot: documentRoot, ports: ports, directives: directives)
            let path = try folder.write("nginx.conf", try settings.text)
            return ["nginx", "-p", folder.url.path, "-c", path, "-e", "stderr"]
        }
        return NginxServer(process: process)
    }

    /// The port for plain HTTP.
    public var port: Int { process.ports[0] }

    /// The port for TLS, with HTTP/2 if the client offers it. The certificate is `TestCertificate.localhost`.
    public var tlsPort: Int { process.ports[1] }

    /// The TLS port that asks for a client certificate. The server's certificate is `TestCertificate.chained`.
    public var clientTLSPort: Int { process.ports[2] }

    /// The URL of a path on the TLS port that asks for a client certificate.
    public func clientTLSURL(_ path: String = "/") -> URL { loopbackURL("https", clientTLSPort, path) }

    /// The URL of a path over plain HTTP.
    public func url(_ path: String = "/") -> URL { loopbackURL("http", port, path) }

    /// The URL of a path over TLS.
    public func tlsURL(_ path: String = "/") -> URL { loopbackURL("https", tlsPort, path) }

    /// Stops the server and waits until it is gone.
    public func stop() async { await process.stop() }
}
