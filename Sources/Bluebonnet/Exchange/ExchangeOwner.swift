// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The operation that an exchange belongs to, as the exchange knows it. Any thread, but for `answered(_:toQuestion:)`.
protocol ExchangeOwner: AnyObject, Sendable {
    /// So many bytes have left, of so many in all; -1 when that is not known.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// So many bytes have come, of so many in all; -1 when that is not known.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// Where the body of a response with this status goes.
    func bodyDestination(ofStatus status: Int) -> BodyDestination
    /// A block of the user's has answered. Network thread only.
    func answered(_ answer: Exchange.Answer, toQuestion number: Int)
}

/// The blocks of the user's as an exchange asks them: each knows its operation. They run off the network thread.
struct ExchangeBlocks: Sendable {
    var redirect: (@Sendable (_ proposed: URLRequest, _ response: HTTPURLResponse) async -> URLRequest?)?
    var challenge: (@Sendable (_ challenge: AuthenticationChallenge) async -> ChallengeAnswer)?
    var serverTrust: (@Sendable (_ challenge: ServerTrustChallenge) async -> ServerTrustAnswer)?
    var pinViolation: (@Sendable (_ violation: PinViolation) -> Void)?
    var needNewBodyStream: (@Sendable () -> InputStream?)?
}
