// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetTestServer
public import Foundation

/// OpenSSL's test server (`openssl s_server -www`). It answers every request with a page about the connection.
///
/// The page has a line "…, Cipher is NAME", and after "Client certificate" the certificate that the client showed.
public final class OpenSSLServer: Sendable {
    /// Whether openssl is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "openssl", missing: ChildProcess.find("openssl") == nil ? "openssl is not installed" : nil)

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server and waits until it listens.
    ///
    /// - Parameter arguments: additional arguments, for example `-tls1_2`.
    public static func start(_ certificate: TestCertificate, _ arguments: [String] = []) async throws -> OpenSSLServer {
        let process = try await ServerProcess.start(portCount: 1) { _, ports in
            ["openssl", "s_server", "-accept", "127.0.0.1:\(ports[0])", "-www"]
                + ["-cert", try certificate.leafPath, "-cert_chain", try certificate.certificatePath]
                + ["-key", try certificate.keyPath] + arguments
        }
        return OpenSSLServer(process: process)
    }

    /// Starts a server that does not answer, prints the data that it receives, and sends typed text.
    public static func start(
        typing certificate: TestCertificate, _ arguments: [String] = []
    ) async throws -> OpenSSLServer {
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            // A pipe that is open for reading and writing never ends.
            ["sh", "-c", "mkfifo \"$1\" && exec 0<>\"$1\" && shift && exec \"$@\"", "sh", folder.path("keyboard")]
                + ["openssl", "s_server", "-accept", "127.0.0.1:\(ports[0])"]
                + ["-cert", try certificate.leafPath, "-key", try certificate.keyPath] + arguments
        }
        return OpenSSLServer(process: process)
    }

    /// Types text into a server that was started with `start(typing:_:)`. A line that begins with the letter of an
    /// s_server command is that command. Other lines are sent.
    public func type(_ text: String) {
        let keyboard = FileHandle(forWritingAtPath: process.folder.path("keyboard"))
        keyboard?.write(Data(text.utf8))
        try? keyboard?.close()
    }

    /// Starts a server, passes it to `body`, and stops it when `body` returns or throws.
    public static func serving<Result>(
        _ certificate: TestCertificate = .localhost, _ arguments: [String] = [],
        _ body: (OpenSSLServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(certificate, arguments)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// The URL of a path.
    public func url(_ path: String = "/") -> URL { loopbackURL("https", process.ports[0], path) }

    /// The server's output so far.
    public var log: String { process.output }

    /// Stops the server and waits until it is gone.
    public func stop() async { await process.stop() }
}
