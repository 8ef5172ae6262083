// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The facts that OpenSSL found about a server's certificates, for a policy's decision. Values only.
struct ServerTrustFacts: Sendable {
    /// The result of building and verifying a chain.
    enum Verification: Sendable, Equatable {
        /// The verified chain, from the server's certificate to the anchor.
        case verified([ServerCertificate])
        case failed(VerificationFailure)

        /// The chain; empty if verification failed.
        var chain: [ServerCertificate] {
            if case .verified(let chain) = self { return chain }
            return []
        }

        var failure: VerificationFailure? {
            if case .failed(let failure) = self { return failure }
            return nil
        }
    }

    /// The certificates as the server sent them, beginning with its own.
    var presented: [ServerCertificate]
    /// The result with the authorities as anchors, including the check of dates but not of the host.
    var authorityResult: Verification
    /// The result with the pins as the only anchors: the pinned certificates themselves, or the presented certificates
    /// with a pinned key, then without regard to dates. Nil if the policy does not need it.
    var pinResult: Verification?
    /// As `pinResult`, but with the report-only pins.
    var reportOnlyPinResult: Verification?
    /// Whether the server's own certificate names the host.
    var namesHost: Bool
    /// The hosts that the certificate names, if it does not name the host.
    var otherHosts: [String] = []
}

/// The error of a failed verification: OpenSSL's code and message.
struct VerificationFailure: Error, Sendable, Equatable {
    let code: Int
    let text: String
    /// Whether no path led from the server's certificate to an anchor, so that nothing else was checked.
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
