// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A policy's decision on one server.
struct TrustVerdict: Sendable {
    /// Nil when the server is trusted.
    let refusal: NetworkingError?
    /// The chain that the decision rests on; empty when the policy accepts servers without one.
    let chain: [ServerCertificate]

    static func trusted(_ chain: [ServerCertificate]) -> TrustVerdict { TrustVerdict(refusal: nil, chain: chain) }

    static func refused(
        _ code: NetworkingError.Code, _ reason: String, _ failure: VerificationFailure? = nil
    ) -> TrustVerdict {
        TrustVerdict(refusal: NetworkingError(code, reason, underlying: failure?.libraryError), chain: [])
    }
}
