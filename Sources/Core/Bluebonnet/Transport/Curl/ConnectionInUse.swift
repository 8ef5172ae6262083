// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// What a transfer knows of the connection that it uses. Network thread only.
struct ConnectionInUse {
    private(set) var tlsInformation: Box<TLSInformation>?
    /// The close_notify that must come when the body has no other end.
    private var awaitedNotice: CloseNotice?
    /// The sockets that an HTTP/2 connection may have, where their state is evidence.
    private(set) var candidates: [CInt] = []
    /// The HTTP/2 stream of the request that was sent last; nil when it is not known.
    var stream: OpenStreamID?

    /// Whether the notice that the end of the body needs has come.
    var hasCloseNotice: Bool { awaitedNotice?.hasCome ?? true }

    /// Whether TLS has negotiated HTTP/2.
    var isMultiplexed: Bool { tlsInformation?.value.applicationProtocol == "h2" }

    mutating func noteSockets(_ descriptors: [CInt]) { candidates = descriptors }

    mutating func awaitCloseNotice(on handle: EasyHandle) {
        awaitedNotice = handle.tlsConnection.map(CloseNotice.awaited)
    }

    /// The response begins again.
    mutating func forgetCloseNotice() { awaitedNotice = nil }
}

// MARK: - Trust

extension ConnectionInUse {
    /// Sets what decides about a server before a handshake; false ends the transfer. Called for each connection of a
    /// transfer, that to an https proxy included (CURLOPT_SSL_CTX_FUNCTION).
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

    /// Asked before each sending over TLS, so that nothing goes out before: an error unless the connection to use was
    /// made to this request's server, and its server approved.
    mutating func use(_ handle: EasyHandle, for request: TransferRequest) -> NetworkingError? {
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

    /// What does not match of report-only pins.
    func violation(on handle: EasyHandle, for request: TransferRequest) -> PinViolation? {
        guard request.poolKey.securityPolicy.reportOnlyPins != nil else { return nil }
        return handle.tlsConnection.flatMap(ServerTrustEvaluator.violation)
    }

    private static func serverTarget(_ request: TransferRequest) -> ServerTrustEvaluator.Target {
        ServerTrustEvaluator.Target(host: request.origin.host, port: request.origin.port)
    }

    /// The authorities for the proxy, which were read before the transfer began; their files are looked at again only
    /// when that is a while ago.
    private static func proxySetup(_ poolKey: ConnectionPoolKey) throws(NetworkingError) -> TLSSetup? {
        guard let source = try poolKey.proxy?.tlsSource else { return nil }
        if let ready = TLSSetupCache.shared.ready(source) { return ready.setup }
        return try TLSSetupCache.shared.load(source)
    }

    private static func proxyTarget(_ poolKey: ConnectionPoolKey) -> ServerTrustEvaluator.Target? {
        guard let url = poolKey.proxy.flatMap({ URL(string: $0.url) }), let origin = Origin(url) else { return nil }
        return ServerTrustEvaluator.Target(host: origin.host, port: origin.port, isProxy: true)
    }

    /// Through an https proxy there are two handshakes; that with the server begins when the proxy has made its tunnel.
    private static func isConnectingToProxy(_ poolKey: ConnectionPoolKey, _ handle: EasyHandle) -> Bool {
        poolKey.proxy?.isSecure == true && !(200...299).contains(handle.long(CURLINFO_HTTP_CONNECTCODE))
    }
}
