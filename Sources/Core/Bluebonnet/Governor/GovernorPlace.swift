// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The place of one transfer among those to its origin. Network thread only.
struct GovernorPlace {
    private let governed: GovernedOrigin
    /// 0 when the transfer is refused, and counts for nothing.
    private let number: UInt64
    /// Why the transfer must not be sent; nil when it may be.
    private let refused: Box<TransferRefusal>?

    init(_ governed: GovernedOrigin, number: UInt64) { (self.governed, self.number, refused) = (governed, number, nil) }

    init(_ governed: GovernedOrigin, refused: TransferRefusal) {
        (self.governed, number, self.refused) = (governed, 0, Box(refused))
    }

    var isRefused: Bool { refused != nil }

    var refusal: TransferRefusal? { refused?.value }

    /// The place is free again.
    ///
    /// - Parameter isUnused: whether nothing was sent.
    func leave(isUnused: Bool) { if number != 0 { governed.end(number, isUnused: isUnused) } }

    func note(_ outcome: TransferOutcome) { if number != 0 { governed.note(outcome, of: number) } }
}

@available(*, unavailable)
extension GovernorPlace: Sendable {}

extension GovernorPlace {
    /// The head of a response has come.
    func note(_ head: ResponseHead) {
        var outcome = TransferOutcome(kind: .response(status: head.statusCode))
        if outcome.isRefusal || head.headers.mayTellRateLimit {
            let hint =
                outcome.isRefusal
                ? RetryHint(in: head.headers, now: governed.date)
                : RetryHint(ofAccepted: head.headers, now: governed.date)
            if let hint, hint.seconds > 0 { outcome.hold = UInt64(min(hint.seconds, Self.longestHold) * 1e9) }
        }
        note(outcome)
    }

    /// The transfer has ended without a response.
    func note(_ error: NetworkingError) {
        if error.code == .timedOut, error.timeLimit == .connect { return note(TransferOutcome(kind: .connectTimeout)) }
        let isTotal = error.code == .timedOut && error.timeLimit == .total
        // What a proxy refuses for good says nothing of the origin.
        guard Self.failures.contains(error.code), !isTotal, !error.isRefusedByProxy else { return }
        note(TransferOutcome(kind: .failure))
    }

    private static let failures: Set<NetworkingError.Code> = [
        .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .secureConnectionFailed, .badServerResponse,
    ]
    /// Some thirty years.
    private static let longestHold = 1e9
}
