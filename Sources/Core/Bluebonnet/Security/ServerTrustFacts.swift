// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What OpenSSL found out about a server's certificates, for a policy to decide on. Values only.
struct ServerTrustFacts: Sendable {
    /// What became of building and checking a chain.
    enum Verification: Sendable, Equatable {
        /// The verified chain, from the server's certificate to the anchor.
        case verified([ServerCertificate])
        case failed(VerificationFailure)

        /// The chain; empty when there is none.
        var chain: [ServerCertificate] {
            if case .verified(let chain) = self { return chain }
            return []
        }

        var failure: VerificationFailure? {
            if case .failed(let failure) = self { return failure }
            return nil
        }
    }

    /// As the server sent them, its own first.
    var presented: [ServerCertificate]
    /// With the authorities as anchors, dates and all; the host is not a part of it.
    var byAuthorities: Verification
    /// With the pins as the only anchors: the pinned certificates themselves, or the presented certificates that have a
    /// pinned key, and then whatever their dates. Nil when the policy does not ask for it.
    var byPins: Verification?
    /// The chain of `byPins`, found with the report-only pins instead.
    var byReportOnlyPins: Verification?
    /// Whether the server's own certificate names the host.
    var namesHost: Bool
    /// The hosts that the certificate names, where it does not name the host.
    var otherHosts: [String] = []
}

/// Why a chain was not verified: OpenSSL's code and sentence.
struct VerificationFailure: Error, Sendable, Equatable {
    let code: Int
    let text: String
    /// No way led from the server's certificate to an anchor, so that nothing else was looked at.
    let hasNoAnchor: Bool

    /// The remedy for an unknown authority.
    var remedy: String {
        hasNoAnchor
            ? "; to trust its authority, name the authority's file: securityPolicy.authorities, or --ca of the command"
            : ""
    }

    var libraryError: LibraryError { LibraryError(library: "OpenSSL", code: code, text: text) }
}

extension ServerTrustFacts {
    /// The hosts that the server's certificate names, as the end of a sentence.
    var nameWords: String {
        guard !otherHosts.isEmpty else { return ": it names no host in subjectAltName" }
        let shown = otherHosts.prefix(3).map { FieldSyntax.visible($0, control: "?") }.joined(separator: ", ")
        return ": it names \(shown)\(otherHosts.count > 3 ? " and \(otherHosts.count - 3) more" : "")"
    }
}
