// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The governor's permit for one transfer to an origin. Network thread only.
struct GovernorPermit {
    private let governed: GovernedOrigin
    /// 0 for a refused transfer, which is not counted.
    private let number: UInt64
    /// Why the transfer must not be sent; nil if it may be sent.
    private let refused: Box<TransferRefusal>?

    init(_ governed: GovernedOrigin, number: UInt64) { (self.governed, self.number, refused) = (governed, number, nil) }

    init(_ governed: GovernedOrigin, refused: TransferRefusal) {
        (self.governed, number, self.refused) = (governed, 0, Box(refused))
    }

    var isRefused: Bool { refused != nil }

    var refusal: TransferRefusal? { refused?.value }

    /// Releases the permit.
    ///
    /// - Parameter isUnused: whether nothing was sent.
    func leave(isUnused: Bool) { if number != 0 { governed.end(number, isUnused: isUnused) } }

    func record(_ outcome: TransferOutcome) { if number != 0 { governed.record(outcome, of: number) } }
}

@available(*, unavailable)
extension GovernorPermit: Sendable {}

extension GovernorPermit {
    /// Records the outcome when the response head arrives.
    func record(_ head: ResponseHead) {
        var outcome = TransferOutcome(kind: .response(status: head.statusCode))
        if outcome.isRefusal || head.headers.mayTellRateLimit {
            let hint =
                outcome.isRefusal
                ? RetryHint(in: head.headers, now: governed.date)
                : RetryHint(ofAccepted: head.headers, now: governed.date)
            if let hint, hint.seconds > 0 { outcome.backOff = UInt64(min(hint.seconds, Self.longestBackOff) * 1e9) }
        }
        record(outcome)
    }

    /// Records the outcome of a transfer that ended without a response.
    func record(_ error: NetworkingError) {
        if error.code == .timedOut, error.timeLimit == .connect {
            return record(TransferOutcome(kind: .connectTimeout))
        }
        let isTotal = error.code == .timedOut && error.timeLimit == .total
        // A permanent refusal by a proxy says nothing about the origin.
        guard Self.failures.contains(error.code), !isTotal, !error.isRefusedByProxy else { return }
        record(TransferOutcome(kind: .failure))
    }

    private static let failures: Set<NetworkingError.Code> = [
        .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .secureConnectionFailed, .badServerResponse,
    ]
    /// In seconds: about thirty years.
    private static let longestBackOff = 1e9
}
