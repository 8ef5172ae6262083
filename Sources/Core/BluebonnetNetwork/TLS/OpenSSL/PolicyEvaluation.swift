// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
public import Foundation

extension SecurityPolicy {
    /// Evaluates certificates as in a handshake with a server that presents them. Nothing is sent.
    ///
    /// Reads the policy's certificate authorities and may therefore block. Any thread.
    ///
    /// - Parameters:
    ///   - chain: the certificates in the order in which a server presents them, its own certificate first.
    ///   - host: the name or address of the server. It selects the policy of `hosts`, and the certificate must name it
    ///     if `validatesDomainName` is on. International names in their `xn--` form. With nil, no name is compared.
    ///   - moment: the time at which the certificates must be valid. Default: now.
    /// - Returns: the chain that the decision is based on, from the server's certificate to its anchor; empty if the
    ///   policy accepts servers without a chain.
    /// - Throws: `NetworkingError` with the reason: `serverNotTrusted`, `pinMismatch`, or `invalidSecurityPolicy` if
    ///   the policy contradicts itself or its authorities cannot be read.
    @discardableResult
    public func evaluate(
        chain: [ServerCertificate], host: String?, at moment: Date = Date()
    ) throws(NetworkingError) -> [ServerCertificate] {
        try validate()
        if let host, let refusal = refusal(ofHost: host) { throw refusal }
        let policy = host.flatMap(policy(forHost:)) ?? self
        let setup = try TLSSetupCache.shared.load(TLSSetupSource(.default, policy))
        let facts = usingOpenSSL {
            PresentedChain(chain)?.facts(for: policy, host: host, authorities: setup.authorities, at: moment)
        }
        guard let facts else {
            let fault = chain.isEmpty ? "presented no certificate" : "presented certificates that OpenSSL cannot read"
            throw NetworkingError(.serverNotTrusted, "\(host ?? "the server") \(fault)")
        }
        let verdict = policy.verdict(on: facts, host: host)
        if let refusal = verdict.refusal { throw refusal }
        return verdict.chain
    }
}

/// Certificates outside of a handshake, in the format in which OpenSSL has a server's certificates during one.
private struct PresentedChain {
    private let certificates: [ParsedCertificate]
    private let leaf: ParsedCertificate

    /// Nil if there is no certificate, or one of them cannot be parsed.
    init?(_ chain: [ServerCertificate]) {
        certificates = chain.compactMap { ParsedCertificate(der: $0.der) }
        guard let leaf = certificates.first, certificates.count == chain.count else { return nil }
        self.leaf = leaf
    }

    /// Returns the facts that `ServerTrustEvaluator` would find in a handshake; nil if OpenSSL is out of memory.
    func facts(
        for policy: SecurityPolicy, host: String?, authorities: TrustStore, at moment: Date
    ) -> ServerTrustFacts? {
        guard let stack = OPENSSL_sk_new_null(), let context = X509_STORE_CTX_new() else { return nil }
        defer {
            X509_STORE_CTX_free(context)
            OPENSSL_sk_free(stack)
            withExtendedLifetime(certificates) {}
        }
        for certificate in certificates { OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.raw)) }
        guard X509_STORE_CTX_init(context, authorities.store, leaf.raw, stack) == 1,
            X509_STORE_CTX_set_default(context, "ssl_server") == 1
        else { return nil }
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), Self.securityLevel)
        X509_STORE_CTX_set_time(context, 0, Int(clamping: moment))
        var verification = ChainVerification(context, at: moment)
        return verification?.facts(for: policy, host: host ?? "", sentName: nil, showsChains: true)
    }

    /// The security level of a connection: the strength of keys and signatures that OpenSSL, or its configuration,
    /// requires.
    private static let securityLevel: CInt = {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return 1 }
        defer { SSL_CTX_free(context) }
        return SSL_CTX_get_security_level(context)
    }()
}

extension Int {
    /// Makes the number of seconds since 1970, limited to the range of `Int`.
    fileprivate init(clamping moment: Date) {
        let seconds = moment.timeIntervalSince1970
        self = Int(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : .min)
    }
}
