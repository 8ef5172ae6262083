// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// The decision. Pure: it takes what was found, and looks nothing up.
extension SecurityPolicy {
    /// Decides on a server.
    ///
    /// - Parameter host: the name that the server was asked for by; nil when there is none to compare.
    func verdict(on facts: ServerTrustFacts, host: String?) -> TrustVerdict {
        let name = host ?? "the server"
        if table != nil {
            return .refused(.serverNotTrusted, "no policy was chosen for \(name)")
        }
        if host != nil, allowInvalidCertificates, validatesDomainName, pinningMode == .none || pins.isEmpty {
            return .refused(
                .invalidSecurityPolicy, "a policy that takes any certificate of \(name) cannot validate its host")
        }
        if pinningMode == .none && allowInvalidCertificates { return .trusted(facts.byAuthorities.chain) }
        if let refusal = refusalWithoutPins(facts, host: host, name) { return refusal }
        switch pinningMode {
        case .none: return .trusted(facts.byAuthorities.chain)
        case .publicKey: return keyVerdict(facts, name)
        case .certificate: return certificateVerdict(facts, name)
        }
    }

    /// What the authorities and the name say against the server.
    private func refusalWithoutPins(_ facts: ServerTrustFacts, host: String?, _ name: String) -> TrustVerdict? {
        if !allowInvalidCertificates, let failure = facts.byAuthorities.failure {
            return .refused(
                .serverNotTrusted, "the certificate of \(name) is not trusted: \(failure.text) \(modeWords)", failure)
        }
        if validatesDomainName, host != nil, !facts.namesHost {
            return .refused(.serverNotTrusted, "the certificate of \(name) does not name it \(modeWords)")
        }
        return nil
    }

    private func keyVerdict(_ facts: ServerTrustFacts, _ name: String) -> TrustVerdict {
        var chains = [facts.byAuthorities.chain]
        if allowInvalidCertificates, let byPins = facts.byPins { chains.append(byPins.chain) }
        guard let chain = chains.first(where: { $0.contains(where: pins.pins(keyOf:)) }) else {
            return .refused(
                .pinMismatch,
                "certificate for \(name) matches none of \(pins.count) pinned \(pins.count == 1 ? "key" : "keys") "
                    + modeWords)
        }
        return .trusted(chain)
    }

    private func certificateVerdict(_ facts: ServerTrustFacts, _ name: String) -> TrustVerdict {
        let mismatch =
            "certificate for \(name) matches none of \(pins.certificates.count) pinned "
            + "\(pins.certificates.count == 1 ? "certificate" : "certificates") \(modeWords)"
        switch facts.byPins {
        case nil: return .refused(.pinMismatch, mismatch)
        case .failed(let failure) where failure.hasNoAnchor: return .refused(.pinMismatch, mismatch, failure)
        case .failed(let failure):
            return .refused(
                .serverNotTrusted,
                "the certificate of \(name) is not valid under its pin: \(failure.text) \(modeWords)", failure)
        case .verified(let chain):
            guard chain.contains(where: pins.certificates.contains) else { return .refused(.pinMismatch, mismatch) }
            return .trusted(chain)
        }
    }

    private var modeWords: String { "(pinning mode \(pinningMode.rawValue))" }

    /// What is to be reported of a server that is trusted: that it matches none of the pins on trial.
    func violation(_ facts: ServerTrustFacts, host: String, port: Int, now: Date) -> PinViolation? {
        guard let trial = reportOnlyPins, now < trial.expires else { return nil }
        let chains = [facts.byAuthorities, facts.byPins, facts.byTrialPins].compactMap { $0?.chain }
        guard !chains.contains(where: { $0.contains(where: trial.pins.pins(keyOf:)) }) else { return nil }
        return PinViolation(
            host: host, port: port, pins: trial, presentedChain: facts.presented,
            verifiedChain: chains.first { !$0.isEmpty } ?? [])
    }
}
