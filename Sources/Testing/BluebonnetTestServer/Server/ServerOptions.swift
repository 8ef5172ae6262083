// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestServer {
    /// Choices that go for all connections of a server.
    public struct Options: Sendable {
        /// The certificate to speak TLS with. Nil means plain HTTP.
        public var certificate: TestCertificate?
        /// The only version of TLS to speak. Nil means 1.2 or later.
        public var tlsVersion: TLSVersion?
        /// Whether clients may choose HTTP/2, besides HTTP/1.1: by ALPN over TLS, with prior knowledge in the clear.
        public var speaksHTTP2 = false
        /// How many requests a connection of HTTP/2 takes at once.
        public var concurrentStreamLimit = 100
        /// Whether a client must present a certificate of the test authority.
        public var requiresClientCertificate = false
        /// Where to listen instead of on a port.
        public var unixSocketPath: String?
        /// Whether bodies are read. If not, the script is called when a head has arrived, and nothing more is read from
        /// that connection: what the client sends stays in the socket, so that a close becomes a reset.
        public var readsBodies = true
        /// Reads nothing of a connection for so long after the first bytes behind the TLS handshake, if there is one.
        public var readingPause: Duration?
        /// Whether "Expect: 100-continue" is answered.
        public var sendsContinue = true
        /// Whether a request that asks for "Expect: 100-continue" is over with its head: the script answers it, and the
        /// next bytes on the connection are another request.
        public var refusesExpectations = false
        /// Closes each connection, in good order and unannounced, after that many answers.
        public var requestsPerConnection: Int?
        /// What to do as soon as a connection is accepted, before anything is read from it.
        public var greeting: Reply?
        /// The size of the socket's send buffer, to make back-pressure come early.
        public var sendBufferByteCount: Int?

        /// The defaults: plain HTTP on a port, bodies read, connections kept alive.
        public init() {}
    }

    /// A version of TLS.
    public enum TLSVersion: Sendable {
        /// TLS 1.0 or 1.1, which a client should refuse.
        case v10, v11
        /// TLS 1.2 or 1.3.
        case v12, v13
    }

    /// Starts a server, hands it to `body`, and stops it however that ends.
    public static func serving<Result>(
        _ options: Options = Options(), script: @escaping Script, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(options, script)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}
