// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

// Whom a connection is made to, and whether the one at hand may be used. Network thread only.
extension CurlTransfer {
    /// Sets what decides about a server before a handshake; false ends the transfer. Called for each connection of the
    /// transfer, that to an https proxy included (CURLOPT_SSL_CTX_FUNCTION).
    func prepareTLS(context: UnsafeMutableRawPointer) -> Bool {
        CloseNotice.watch(context: context)
        let isProxy = isConnectingToProxy
        let isPrepared = TLSContext.prepare(context, with: isProxy ? nil : request.poolKey.setup) {
            [weak self] error in
            self?.stop(with: error)
        }
        guard isPrepared, let target = isProxy ? proxyTarget : serverTarget else { return false }
        let poolKey = request.poolKey
        let evaluator = ServerTrustEvaluator(
            target, policy: isProxy ? poolKey.proxy?.securityPolicy ?? .default : poolKey.securityPolicy,
            answers: isProxy ? nil : poolKey.trustAnswers
        ) { [weak self] error in self?.stop(with: error) }
        return evaluator.install(in: context)
    }

    /// Whether the connection to use was made to this request's server, and its server approved; reports what is on
    /// trial. Asked before each sending (CURLOPT_PREREQFUNCTION), so that nothing goes out before.
    func mayUseConnection() -> Bool {
        guard request.isSecure else { return true }
        guard let connection = handle.tlsConnection,
            ServerTrustEvaluator.approves(connection, for: serverTarget)
        else {
            stop(
                with: NetworkingError(
                    .secureConnectionFailed,
                    "the certificates on the connection to \(hostName) were not checked; nothing was sent"))
            return false
        }
        if request.poolKey.securityPolicy.reportOnlyPins != nil,
            let violation = ServerTrustEvaluator.violation(of: connection)
        {
            delegate?.transferDidFind(violation)
        }
        return true
    }

    private var serverTarget: ServerTrustEvaluator.Target {
        ServerTrustEvaluator.Target(host: request.origin.host, port: request.origin.port)
    }

    private var proxyTarget: ServerTrustEvaluator.Target? {
        guard let proxy = request.poolKey.proxy, let url = URL(string: proxy.url), let origin = Origin(url) else {
            return nil
        }
        return ServerTrustEvaluator.Target(host: origin.host, port: origin.port, isProxy: true)
    }

    /// Through an https proxy there are two handshakes; that with the server begins when the proxy has made its tunnel.
    private var isConnectingToProxy: Bool {
        guard request.poolKey.proxy?.isSecure == true else { return false }
        return !(200...299).contains(handle.long(CURLINFO_HTTP_CONNECTCODE))
    }
}
