// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides whether a server is trusted, by authorities, pinned certificates or keys, and the host's name. A value type:
/// OpenSSL supplies the facts, the policy decides.
///
/// ```swift
/// let pins = try PinSet(keys: ["sha256/…"], backupKeys: ["sha256/…"])
/// manager.securityPolicy = try SecurityPolicy(pinningMode: .publicKey, pins: pins)
/// ```
///
/// The policy is evaluated at every TLS handshake of every hop, and its connections are never used with another policy.
/// Each property can be changed separately. A policy that contradicts itself trusts no server: the initializer throws,
/// and an operation with such a policy fails with `invalidSecurityPolicy` before anything is sent.
public struct SecurityPolicy: Sendable, Hashable {
    /// The part of the certificates that is compared with the pins. Default `none`.
    public var pinningMode = PinningMode.none
    /// The pinned certificates and keys; one match is enough. Default empty.
    public var pins = PinSet.empty
    /// Whether certificates without a trusted authority are accepted. With pins, only the pins then count; in mode
    /// `publicKey`, validity dates do not count either. Default false.
    public var allowInvalidCertificates = false
    /// Whether the certificate must name the host, in every mode. Default true.
    public var validatesDomainName = true
    /// The certificate authorities. Default: the system's store.
    public var authorities = TrustedAuthorities.system
    /// Report-only pins. Default nil.
    public var reportOnlyPins: ReportOnlyPins?
    /// Policies for specific hosts. Default empty.
    ///
    /// The most specific pattern decides, on each hop by the host of that hop. This policy decides on hosts without a
    /// pattern; with `trustingNobody`, those hosts are refused.
    public var hosts = SecurityPolicyTable.empty

    /// The default policy: the system's store, with validation of the host name.
    public static let `default` = SecurityPolicy(
        unchecked: .none, pins: .empty, allowInvalidCertificates: false, validatesDomainName: true)

    /// Refuses every host, by https and by http: an operation fails with `serverNotTrusted` without connecting. Use it
    /// with `hosts` to refuse all other hosts. As the policy of an https proxy, it refuses the proxy at the handshake.
    public static let trustingNobody = SecurityPolicy(
        unchecked: .none, pins: .empty, allowInvalidCertificates: false, validatesDomainName: true,
        authorities: .nobody)

    /// Makes a policy; omitted properties have their defaults.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the policy contradicts itself, see `validate()`.
    public init(
        pinningMode: PinningMode = .none, pins: PinSet = .empty, allowInvalidCertificates: Bool = false,
        validatesDomainName: Bool = true, authorities: TrustedAuthorities = .system,
        reportOnlyPins: ReportOnlyPins? = nil, hosts: SecurityPolicyTable = .empty
    ) throws(NetworkingError) {
        self.init(
            unchecked: pinningMode, pins: pins, allowInvalidCertificates: allowInvalidCertificates,
            validatesDomainName: validatesDomainName, authorities: authorities, reportOnlyPins: reportOnlyPins,
            hosts: hosts)
        try validate()
    }

    /// Makes a policy without validation: for a policy that is known to be consistent, or to examine the decision of an
    /// inconsistent policy.
    package init(
        unchecked pinningMode: PinningMode, pins: PinSet, allowInvalidCertificates: Bool, validatesDomainName: Bool,
        authorities: TrustedAuthorities = .system, reportOnlyPins: ReportOnlyPins? = nil,
        hosts: SecurityPolicyTable = .empty
    ) {
        self.pinningMode = pinningMode
        self.pins = pins
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.authorities = authorities
        self.reportOnlyPins = reportOnlyPins
        self.hosts = hosts
    }

    /// Checks that the policy does not contradict itself. Every operation does so before anything is sent.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` for pins without a mode that compares them, or such a
    ///   mode without pins; for digests of keys in mode `certificate`; for accepting invalid certificates while
    ///   validating the host without a pin, because a name in an invalid certificate proves nothing; and for pins that
    ///   require a trusted authority if no authority is trusted.
    public func validate() throws(NetworkingError) {
        guard let contradiction else { return }
        throw NetworkingError(.invalidSecurityPolicy, contradiction)
    }

    /// Whether every server is refused, so that no connection is made.
    package var trustsNobody: Bool { authorities == .nobody && !allowInvalidCertificates }

    private var contradiction: String? {
        switch pinningMode {
        case .none where !pins.isEmpty:
            let (pins, them) = pins.count == 1 ? ("1 pin is", "it") : ("\(pins.count) pins are", "them")
            return "\(pins) set, but the mode does not use \(them): choose the mode publicKey or certificate"
        case .none where allowInvalidCertificates && validatesDomainName:
            return
                "accepting invalid certificates contradicts validating the host: a name in an untrusted certificate "
                + "proves nothing; also turn off host validation, name the authority to trust, or pin"
        case .publicKey where pins.isEmpty, .certificate where pins.isEmpty:
            return "the mode \(pinningMode.rawValue) needs at least one pin: without one every server is refused"
        case .certificate where !pins.keys.isEmpty || !pins.backupKeys.isEmpty:
            return "digests of keys are pinned, but the mode certificate compares whole certificates: use publicKey"
        case _ where trustsNobody && (pinningMode != .none || reportOnlyPins != nil):
            return
                "pins are set, but no authority is trusted, so every server is refused: accept invalid "
                + "certificates to let the pins decide alone, or name the authorities"
        case .none, .publicKey, .certificate: return nil
        }
    }

    /// Whether each connection needs a full handshake: a resumed TLS session presents no certificate to compare with a
    /// pin.
    var needsFullHandshake: Bool { pinningMode != .none || reportOnlyPins != nil }
}

// The decision. Pure functions of the facts.
extension SecurityPolicy {
    /// Returns the decision on a server.
    ///
    /// - Parameter host: the name by which the server was requested; nil if there is no name to compare.
    func verdict(on facts: ServerTrustFacts, host: String?) -> TrustVerdict {
        let name = host ?? "the server"
        if host != nil, allowInvalidCertificates, validatesDomainName, pinningMode == .none || pins.isEmpty {
            return .refused(
                .invalidSecurityPolicy, "a policy that accepts any certificate of \(name) cannot validate its host")
        }
        if pinningMode == .none && allowInvalidCertificates { return .trusted(facts.authorityResult.chain) }
        if let refusal = refusalWithoutPins(facts, host: host, name) { return refusal }
        switch pinningMode {
        case .none: return .trusted(facts.authorityResult.chain)
        case .publicKey: return keyVerdict(facts, name)
        case .certificate: return certificateVerdict(facts, name)
        }
    }

    /// Returns the refusal because of the authorities or the host name; nil otherwise.
    private func refusalWithoutPins(_ facts: ServerTrustFacts, host: String?, _ name: String) -> TrustVerdict? {
        if !allowInvalidCertificates, let failure = facts.authorityResult.failure {
            return .refused(
                .serverNotTrusted,
                "the certificate of \(name) is not trusted: \(failure.text)\(failure.remedy)\(modeWords)", failure)
        }
        if validatesDomainName, host != nil, !facts.namesHost {
            return .refused(
                .serverNotTrusted, "the certificate of \(name) does not name it\(facts.nameWords)\(modeWords)")
        }
        return nil
    }

    private func keyVerdict(_ facts: ServerTrustFacts, _ name: String) -> TrustVerdict {
        var chains = [facts.authorityResult.chain]
        if allowInvalidCertificates, let pinResult = facts.pinResult { chains.append(pinResult.chain) }
        guard let chain = chains.first(where: { $0.contains(where: pins.pins(keyOf:)) }) else {
            return .refused(
                .pinMismatch,
                "certificate for \(name) matches none of \(pins.count) pinned \(pins.count == 1 ? "key" : "keys")"
                    + modeWords)
        }
        return .trusted(chain)
    }

    private func certificateVerdict(_ facts: ServerTrustFacts, _ name: String) -> TrustVerdict {
        let mismatch =
            "certificate for \(name) matches none of \(pins.certificates.count) pinned "
            + "\(pins.certificates.count == 1 ? "certificate" : "certificates")\(modeWords)"
        switch facts.pinResult {
        case nil: return .refused(.pinMismatch, mismatch)
        case .failed(let failure) where failure.hasNoAnchor: return .refused(.pinMismatch, mismatch, failure)
        case .failed(let failure):
            return .refused(
                .serverNotTrusted,
                "the certificate of \(name) is not valid under its pin: \(failure.text)\(modeWords)", failure)
        case .verified(let chain):
            guard chain.contains(where: pins.certificates.contains) else { return .refused(.pinMismatch, mismatch) }
            return .trusted(chain)
        }
    }

    private var modeWords: String { pinningMode == .none ? "" : " (pinning mode \(pinningMode.rawValue))" }

    /// Returns the violation to report for a trusted server that matches none of the report-only pins.
    func violation(_ facts: ServerTrustFacts, host: String, port: Int, now: Date) -> PinViolation? {
        guard let reportOnly = reportOnlyPins, now < reportOnly.expires else { return nil }
        let chains = [facts.authorityResult, facts.pinResult, facts.reportOnlyPinResult].compactMap { $0?.chain }
        guard !chains.contains(where: { $0.contains(where: reportOnly.pins.pins(keyOf:)) }) else { return nil }
        return PinViolation(
            host: host, port: port, pins: reportOnly, presentedChain: facts.presented,
            verifiedChain: chains.first { !$0.isEmpty } ?? [])
    }
}
