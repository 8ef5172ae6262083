// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestServer {
    /// The options of a server, which apply to all its connections.
    public struct Options: Sendable {
        /// The certificate for TLS; nil means plain HTTP.
        public var certificate: TestCertificate?
        /// The only supported version of TLS; nil means 1.2 or later.
        public var tlsVersion: TLSVersion?
        /// Whether clients can choose HTTP/2 in addition to HTTP/1.1: by ALPN over TLS, with prior knowledge in
        /// plaintext.
        public var speaksHTTP2 = false
        /// The maximum number of concurrent requests on an HTTP/2 connection.
        public var concurrentStreamLimit = 100
        /// Whether clients must present a certificate of the test authority.
        public var requiresClientCertificate = false
        /// The path of a Unix socket to listen on instead of a port.
        public var unixSocketPath: String?
        /// Whether bodies are read. If false, the script is called when a head has arrived, and nothing further is
        /// read from the connection. Bytes that the client sends stay in the socket, so that a close becomes a reset.
        public var readsBodies = true
        /// Whether the script is called when a head has arrived, while the body follows: `isComplete` of the request is
        /// false then. The body is read, and the request is recorded when it is complete.
        public var answersHeads = false
        /// The time for which reading from a connection pauses after the first bytes; over TLS, after the first bytes
        /// that follow the handshake. Nil means no pause.
        public var readingPause: Duration?
        /// Whether the server answers "Expect: 100-continue".
        public var sendsContinue = true
        /// Whether a request with "Expect: 100-continue" ends with its head: the script answers it, and the next bytes
        /// on the connection are another request.
        public var refusesExpectations = false
        /// The number of answers after which each connection is closed, gracefully and unannounced; nil for no limit.
        public var requestsPerConnection: Int?
        /// The reply to play as soon as a connection is accepted, before anything is read from it.
        public var greeting: Reply?
        /// The size of the socket's send buffer in bytes, to cause back-pressure early.
        public var sendBufferByteCount: Int?

        /// Makes options with their defaults: plain HTTP on a port, bodies read, connections kept alive.
        public init() {}
    }

    /// A version of TLS.
    public enum TLSVersion: Sendable {
        /// TLS 1.0 or 1.1, which clients should refuse.
        case v10, v11
        /// TLS 1.2 or 1.3.
        case v12, v13
    }

    /// Starts a server, passes it to `body`, and stops it when `body` returns or throws.
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
