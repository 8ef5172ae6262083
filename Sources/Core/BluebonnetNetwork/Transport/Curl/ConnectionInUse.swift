// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// The state of the connection that a transfer uses. Network thread only.
struct ConnectionInUse {
    private(set) var tlsInformation: Box<TLSInformation>?
    /// The close_notify alert that must arrive if the body has no other end.
    private var awaitedNotice: CloseNotice?
    /// The sockets that an HTTP/2 connection may use. Stored where their state is evidence for the end of a response.
    private(set) var candidates: [CInt] = []
    /// The HTTP/2 stream of the last send attempt; nil if it is not known.
    var stream: OpenStreamID?

    /// Whether the alert that the end of the body needs has arrived.
    var hasCloseNotice: Bool { awaitedNotice?.hasCome ?? true }

    /// Whether TLS has negotiated HTTP/2.
    var isMultiplexed: Bool { tlsInformation?.value.applicationProtocol == "h2" }

    mutating func recordSockets(_ descriptors: [CInt]) { candidates = descriptors }

    mutating func awaitCloseNotice(on handle: EasyHandle) {
        awaitedNotice = handle.tlsConnection.map(CloseNotice.awaited)
    }

    /// Forgets the awaited alert, because the response begins again.
    mutating func forgetCloseNotice() { awaitedNotice = nil }
}

// MARK: - Trust

extension ConnectionInUse {
    /// Installs the trust decision for a connection before its handshake. Returns false to end the transfer. Called
    /// for each connection of a transfer, including the connection to an https proxy (CURLOPT_SSL_CTX_FUNCTION).
    static func prepareTLS(
        _ context: UnsafeMutableRawPointer, for request: TransferRequest, on handle: EasyHandle,
        whenRefused: @escaping (NetworkingError) -> Void
    ) -> Bool {
        CloseNotice.watch(context: context)
        let poolKey = request.poolKey
        let isProxy = isConnectingToProxy(poolKey, handle)
        let setup: TLSSetup?
        do throws(NetworkingError) {
            setup = isProxy ? try proxySetup(poolKey) : poolKey.setup
        } catch {
            whenRefused(error)
            return false
        }
        guard TLSContext.prepare(context, with: setup, whenRefused: whenRefused),
            let target = isProxy ? proxyTarget(poolKey) : serverTarget(request)
        else { return false }
        let policy = isProxy ? poolKey.proxy?.ownPolicy ?? .default : poolKey.securityPolicy
        let answers = isProxy ? nil : poolKey.trustAnswers
        return ServerTrustEvaluator(target, policy: policy, answers: answers, whenRefused: whenRefused).install(
            in: context)
    }

    /// Checks the connection before each send attempt over TLS, so that nothing is sent earlier. Returns an error
    /// unless the connection was made to this request's server and the server was approved.
    mutating func verifyTrust(_ handle: EasyHandle, for request: TransferRequest) -> NetworkingError? {
        guard let connection = handle.tlsConnection,
            ServerTrustEvaluator.approves(connection, for: Self.serverTarget(request))
        else {
            return NetworkingError(
                .secureConnectionFailed,
                "the certificates on the connection to \(request.hostName) were not checked; nothing was sent")
        }
        tlsInformation = TLSConnection.information(connection)
        return nil
    }

    /// Returns the violation of report-only pins.
    func violation(on handle: EasyHandle, for request: TransferRequest) -> PinViolation? {
        guard request.poolKey.securityPolicy.reportOnlyPins != nil else { return nil }
        return handle.tlsConnection.flatMap(ServerTrustEvaluator.violation)
    }

    private static func serverTarget(_ request: TransferRequest) -> ServerTrustEvaluator.Target {
        ServerTrustEvaluator.Target(host: request.origin.host, port: request.origin.port)
    }

    /// Returns the authorities for the proxy, which were read before the transfer began. Their files are checked again
    /// only after a while.
    private static func proxySetup(_ poolKey: ConnectionPoolKey) throws(NetworkingError) -> TLSSetup? {
        guard let source = try poolKey.proxy?.tlsSource else { return nil }
        if let ready = TLSSetupCache.shared.ready(source) { return ready.setup }
        return try TLSSetupCache.shared.load(source)
    }

    private static func proxyTarget(_ poolKey: ConnectionPoolKey) -> ServerTrustEvaluator.Target? {
        guard let url = poolKey.proxy.flatMap({ URL(string: $0.url) }), let origin = Origin(url) else { return nil }
        return ServerTrustEvaluator.Target(host: origin.host, port: origin.port, isProxy: true)
    }

    /// Whether the handshake is with the proxy. Through an https proxy there are two handshakes; the handshake with
    /// the server begins when the proxy has made its tunnel.
    private static func isConnectingToProxy(_ poolKey: ConnectionPoolKey, _ handle: EasyHandle) -> Bool {
        poolKey.proxy?.isSecure == true && !(200...299).contains(handle.long(CURLINFO_HTTP_CONNECTCODE))
    }
}
