// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Collects the facts about a server's certificates, with the context that OpenSSL made for a handshake. It decides
/// nothing; the extent of its checks depends on what the policy compares.
struct ChainVerification {
    private let context: OpaquePointer
    private let leaf: OpaquePointer
    /// The certificates as the server sent them, including the leaf.
    private let presented: [OpaquePointer]
    /// The time at which certificates must be valid; nil for now.
    private let moment: Date?
    /// The name that the authorities of a chain must not exclude; nil if no host is compared.
    private var name: String?

    /// Returns nil if the server sent no certificate.
    init?(_ context: OpaquePointer, at moment: Date? = nil) {
        guard let leaf = X509_STORE_CTX_get0_cert(context) else { return nil }
        self.context = context
        self.moment = moment
        self.leaf = leaf
        presented = CertificateStack.elements(of: X509_STORE_CTX_get0_untrusted(context))
    }

    /// The certificates as the server sent them, for an error.
    var presentedCertificates: [ServerCertificate] { presented.compactMap(CertificateReader.value) }

    /// Returns the facts for a policy's decision.
    ///
    /// - Parameter showsChains: whether the certificates are needed, even if the policy does not need them.
    mutating func facts(
        for policy: SecurityPolicy, host: String, sentName: String?, showsChains: Bool
    ) -> ServerTrustFacts {
        name = policy.validatesDomainName ? ServerNameCheck.name(ofHost: host, sentName: sentName) : nil
        let needsChains = showsChains || policy.pinningMode != .none || policy.reportOnlyPins != nil
        let values = needsChains ? presentedCertificates : []
        let authorityResult = verify(context, needsChain: needsChains)
        let namesHost = ServerNameCheck.passes(leaf, host: host, sentName: sentName)
        var facts = ServerTrustFacts(
            presented: values, authorityResult: authorityResult, namesHost: namesHost,
            otherHosts: namesHost ? [] : CertificateReader.hosts(of: leaf))
        switch policy.pinningMode {
        case .none: break
        case .publicKey where policy.allowInvalidCertificates: facts.pinResult = verifyPresented(values, policy.pins)
        case .publicKey: break
        case .certificate: facts.pinResult = verify(anchors: parsed(policy.pins), checksDates: true)
        }
        if let reportOnly = policy.reportOnlyPins, policy.allowInvalidCertificates {
            facts.reportOnlyPinResult = verifyPresented(values, reportOnly.pins)
        }
        return facts
    }

    /// Verifies the chain without regard to dates, with these anchors: the presented certificates that have a pinned
    /// key, and the pinned certificates. A certificate that the server only added to its chain has no effect.
    private func verifyPresented(_ values: [ServerCertificate], _ pins: PinSet) -> ServerTrustFacts.Verification {
        guard values.count == presented.count else { return .failed(Self.noAnchor) }
        let anchors = zip(presented, values).filter { pins.pins(keyOf: $0.1) }.map(\.0)
        return verify(anchors: parsed(pins), anchors, checksDates: false)
    }

    private func parsed(_ pins: PinSet) -> [ParsedCertificate] {
        pins.certificates.compactMap { ParsedCertificate(der: $0.der) }
    }

    /// Verifies the chain with these anchors only. A leaf or an intermediate certificate may be an anchor.
    private func verify(
        anchors pinned: [ParsedCertificate], _ others: [OpaquePointer] = [], checksDates: Bool
    ) -> ServerTrustFacts.Verification {
        let anchors = others + pinned.map(\.raw)
        defer { withExtendedLifetime(pinned) {} }
        guard !anchors.isEmpty, let store = X509_STORE_new(), let own = X509_STORE_CTX_new() else {
            return .failed(Self.noAnchor)
        }
        defer {
            X509_STORE_CTX_free(own)
            X509_STORE_free(store)
        }
        for anchor in anchors { X509_STORE_add_cert(store, anchor) }
        guard X509_STORE_CTX_init(own, store, leaf, X509_STORE_CTX_get0_untrusted(context)) == 1,
            X509_STORE_CTX_set_default(own, "ssl_server") == 1
        else { return .failed(Self.noAnchor) }
        let level = X509_VERIFY_PARAM_get_auth_level(X509_STORE_CTX_get0_param(context))
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(own), level)
        X509_STORE_CTX_set_flags(own, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST))
        if !checksDates {
            X509_STORE_CTX_set_flags(own, UInt(X509_V_FLAG_NO_CHECK_TIME))
        } else if let moment {  // a time that is set is checked despite that flag
            X509_STORE_CTX_set_time(own, 0, Int(moment.timeIntervalSince1970))
        }
        return verify(own, needsChain: true)
    }

    private func verify(_ context: OpaquePointer, needsChain: Bool) -> ServerTrustFacts.Verification {
        defer { ERR_clear_error() }  // libcurl would report errors that remain as its own
        guard X509_verify_cert(context) == 1 else {
            return .failed(Self.failure(X509_STORE_CTX_get_error(context)))
        }
        let elements = CertificateStack.elements(of: X509_STORE_CTX_get0_chain(context))
        if let name, ExcludedNames.contain(name, of: elements.dropFirst()) {
            return .failed(Self.failure(X509_V_ERR_EXCLUDED_VIOLATION))
        }
        guard needsChain else { return .verified([]) }
        let chain = elements.compactMap(CertificateReader.value)
        return chain.count == elements.count && !chain.isEmpty ? .verified(chain) : .failed(Self.noAnchor)
    }

    private static let noAnchor = failure(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)

    private static func failure(_ code: CInt) -> VerificationFailure {
        // A verification may fail without a reason (X509_V_OK, for instance when out of memory).
        let code = code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
        return VerificationFailure(
            code: Int(code), text: String(cString: X509_verify_cert_error_string(Int(code))),
            hasNoAnchor: anchorErrors.contains(code))
    }

    private static let anchorErrors: Set<CInt> = [
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
    ]
}
