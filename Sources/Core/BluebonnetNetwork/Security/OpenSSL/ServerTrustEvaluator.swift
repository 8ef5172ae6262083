// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Decides at each handshake of one connection whether its server is trusted, instead of OpenSSL's own verification.
///
/// Network thread only. OpenSSL's context retains the evaluator for as long as a connection may have another handshake.
/// The evaluator knows the policy and the host, and is independent of transfers.
final class ServerTrustEvaluator {
    /// The server that a connection is made for.
    struct Target: Equatable {
        let host: String
        let port: Int
        /// Whether the target is the first hop of a connection through an https proxy, rather than the server itself.
        var isProxy = false
    }

    private let target: Target
    private let policy: SecurityPolicy
    /// The answers of the user's block; nil without a block.
    private let answers: TrustAnswers?
    /// Called with the reason when the server is refused, before the handshake fails.
    private let whenRefused: (NetworkingError) -> Void
    private var facts: ServerTrustFacts?
    private var hasApproved = false

    init(
        _ target: Target, policy: SecurityPolicy, answers: TrustAnswers?,
        whenRefused: @escaping (NetworkingError) -> Void
    ) {
        self.target = target
        self.policy = policy
        self.answers = answers
        self.whenRefused = whenRefused
    }

    private func decide(_ context: OpaquePointer) -> Bool {
        NetworkThread.preconditionIsCurrent()
        hasApproved = false
        guard var verification = ChainVerification(context) else {
            return refuse(NetworkingError(.serverNotTrusted, "\(target.host) presented no certificate"))
        }
        let facts = verification.facts(
            for: policy, host: target.host, sentName: Self.sentName(context), showsChains: answers != nil)
        self.facts = policy.reportOnlyPins == nil ? nil : facts
        let verdict = policy.verdict(on: facts, host: target.host)
        if var refusal = refusal(verdict, facts) {
            refusal.serverCertificates = verification.presentedCertificates.map(\.der)
            return refuse(refusal)
        }
        X509_STORE_CTX_set_error(context, X509_V_OK)
        hasApproved = true
        return true
    }

    private func refusal(_ verdict: TrustVerdict, _ facts: ServerTrustFacts) -> NetworkingError? {
        guard let answers else { return verdict.refusal }
        let key = TrustAnswers.Key(host: target.host, port: target.port, chain: facts.presented)
        switch answers.answers[key] {
        case .accept?: return nil
        case .performDefault?: return verdict.refusal
        case nil:
            let challenge = ServerTrustChallenge(
                host: target.host, port: target.port, presentedChain: facts.presented, verifiedChain: verdict.chain,
                namesHost: facts.namesHost, policyRefusal: verdict.refusal)
            return NetworkingError(
                .serverNotTrusted, "the certificates of \(target.host) await a trust decision",
                underlying: ServerTrustQuestion(challenge: challenge, key: key))
        }
    }

    private func refuse(_ error: NetworkingError) -> Bool {
        whenRefused(error)
        return false
    }

    /// The server name in the handshake (RFC 6066, 3).
    private static func sentName(_ context: OpaquePointer) -> String? {
        let connection = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let connection, let name = SSL_get_servername(OpaquePointer(connection), TLSEXT_NAMETYPE_host_name)
        else { return nil }
        return String(cString: name)
    }
}

@available(*, unavailable)
extension ServerTrustEvaluator: Sendable {}

// MARK: - Installation in OpenSSL

extension ServerTrustEvaluator {
    /// Makes this evaluator decide for the connections that will be made from an `SSL_CTX`, which retains it. Returns
    /// false if OpenSSL does not accept it.
    func install(in context: UnsafeMutableRawPointer) -> Bool {
        let context = OpaquePointer(context)
        guard Self.place.attach(self, to: context) else { return false }
        SSL_CTX_set_cert_verify_callback(context, verifyCallback, Unmanaged.passUnretained(self).toOpaque())
        return true
    }

    /// Whether a request to this target may be sent on a connection: its evaluator has approved the server, or the
    /// connection has resumed a session that such an evaluator of the same partition approved.
    static func approves(_ connection: UnsafeMutableRawPointer, for target: Target) -> Bool {
        guard let evaluator = of(connection), evaluator.target == target else { return false }
        return evaluator.hasApproved
            || (SSL_session_reused(OpaquePointer(connection)) == 1 && !evaluator.policy.needsFullHandshake
                && evaluator.answers == nil)
    }

    /// Returns the violation to report now for a connection's server.
    static func violation(of connection: UnsafeMutableRawPointer) -> PinViolation? {
        guard let evaluator = of(connection), let facts = evaluator.facts else { return nil }
        return evaluator.policy.violation(facts, host: evaluator.target.host, port: evaluator.target.port, now: Date())
    }

    private static func of(_ connection: UnsafeMutableRawPointer) -> ServerTrustEvaluator? {
        NetworkThread.preconditionIsCurrent()
        return SSL_get_SSL_CTX(OpaquePointer(connection)).flatMap(place.object)
    }

    fileprivate static func recover(_ pointer: UnsafeMutableRawPointer?) -> ServerTrustEvaluator? {
        pointer.map { Unmanaged<ServerTrustEvaluator>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let place = AttachedObject<ServerTrustEvaluator>(to: .context)

    fileprivate func evaluate(_ context: OpaquePointer) -> Bool { decide(context) }
}

/// Returns 0 to abort the handshake.
private func verifyCallback(_ context: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> CInt {
    guard let context else { return 0 }
    if let evaluator = ServerTrustEvaluator.recover(argument), evaluator.evaluate(context) { return 1 }
    X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION)
    return 0
}
