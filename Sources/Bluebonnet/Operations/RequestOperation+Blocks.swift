// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

extension RequestOperation {
    /// Sees a redirect before it is followed: gives the request to send, the proposed one or another, or nil to take
    /// the redirect itself as the response.
    public typealias RedirectBlock =
        @Sendable (_ operation: RequestOperation, _ proposed: URLRequest, _ response: HTTPURLResponse) async ->
        URLRequest?

    /// Answers a challenge.
    public typealias ChallengeBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer

    /// Makes a body stream again, from its start; nil when that is not possible.
    public typealias BodyStreamBlock = @Sendable () -> InputStream?

    /// Asks `block` before each redirect is followed; it counts from the operation's start.
    ///
    /// The block runs off the network thread, never for two hops of one operation at once, and while it decides nothing
    /// is read from the connection. What it gives is checked like a caller's request, and the limits stand: how many
    /// redirects, none from https to http. Fields of the proposal that belong to its origin do not go to another one
    /// that the block chooses; those that it sets go where it says. Default nil: every allowed redirect is followed.
    public func setRedirectResponse(_ block: RedirectBlock?) {
        replace(\.extras.blocks.redirect, with: block)
    }

    /// Asks `block` about each Basic or Digest challenge that can be answered, of any origin that the operation came
    /// to, twice at most for each; it counts from the operation's start.
    ///
    /// The block runs off the network thread, and while it decides nothing is read from the connection. Its credential
    /// is used for the origin that asked and no other. Default nil: `credential`, once, for the first request's origin.
    public func setWillSendRequestForAuthenticationChallenge(_ block: ChallengeBlock?) {
        replace(\.extras.blocks.challenge, with: block)
    }

    /// Asks `block` for the request's body stream again, when a redirect, a challenge or a dead connection makes it
    /// necessary to send it once more. It runs on a queue of the library's. Default nil: a stream that is a
    /// `ReplayableBodyStream` is asked itself; any other cannot be sent again, which is the error
    /// `bodyStreamExhausted`.
    public func setNeedNewBodyStream(_ block: BodyStreamBlock?) {
        replace(\.extras.blocks.needNewBodyStream, with: block)
    }
}
