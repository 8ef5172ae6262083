// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// An `openssl s_server` of its own, which answers each request with a page about its connection.
///
/// The page has a line "…, Cipher is NAME", and after "Client certificate" what the client showed.
public final class OpenSSLServer: Sendable {
    /// Whether openssl is installed. Tells once, on standard error, when it is not.
    public static let isAvailable = Availability.decide(
        "openssl", missing: ChildProcess.find("openssl") == nil ? "openssl is not installed" : nil)

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server, hands it to `body`, and stops it however that ends.
    ///
    /// - Parameter options: in the words of `s_server`, for instance "-tls1_2".
    public static func serving<Result>(
        _ certificate: TestCertificate = .localhost, _ options: [String] = [],
        _ body: (OpenSSLServer) async throws -> Result
    ) async throws -> Result {
        let process = try await ServerProcess.start(portCount: 1) { _, ports in
            ["openssl", "s_server", "-accept", "127.0.0.1:\(ports[0])", "-www", "-quiet"]
                + ["-cert", try certificate.leafPath, "-key", try certificate.keyPath]
                + ["-cert_chain", try certificate.certificatePath] + options
        }
        let server = OpenSSLServer(process: process)
        do {
            let result = try await body(server)
            await process.stop()
            return result
        } catch {
            await process.stop()
            throw error
        }
    }

    /// The URL of a page.
    public var url: URL { loopbackURL("https", process.ports[0], "/") }

    /// What it printed so far: its errors.
    public var output: String { process.output }
}
