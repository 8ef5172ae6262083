// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A policy's decision on one server.
struct TrustVerdict: Sendable {
    /// Nil if the server is trusted.
    let refusal: NetworkingError?
    /// The chain that the decision is based on; empty if the policy accepts servers without a chain.
    let chain: [ServerCertificate]

    static func trusted(_ chain: [ServerCertificate]) -> TrustVerdict { TrustVerdict(refusal: nil, chain: chain) }

    static func refused(
        _ code: NetworkingError.Code, _ reason: String, _ failure: VerificationFailure? = nil
    ) -> TrustVerdict {
        TrustVerdict(refusal: NetworkingError(code, reason, underlying: failure?.libraryError), chain: [])
    }
}
