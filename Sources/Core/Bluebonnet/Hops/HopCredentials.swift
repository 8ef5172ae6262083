// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Tracks the authenticator's credential over the hops of one hop sequence: decides which hops carry it, and whether a
/// request is sent again with another credential after a 401. Part of its hop chain, and a class because the chain is
/// copied often; network thread only. It applies and refreshes nothing.
final class HopCredentials {
    private let authenticator: SharedAuthenticator?
    /// The next or current hop, before adapters and authenticator.
    private(set) var hop: HopRequest
    /// The form in which the hop is sent; nil before it is known, and without adapters and authenticator.
    private(set) var adapted: HopRequest?
    /// Whether an earlier hop went to an origin that the authenticator does not cover: a target of such an origin's
    /// redirect must not receive the credential.
    private var hasLeftOrigins = false
    /// Whether the request has or had its own credential: then it never gets the authenticator's.
    private var hasOwn: Bool
    /// Whether the credential is in the `Authorization` field, which the answer to a challenge also uses.
    private var fillsAuthorization = false
    /// Whether the request was sent again because its credential was refused. Reset by any other response than a 401,
    /// and by the next attempt.
    var hasRepeated = false
    private(set) var refusedGeneration: Int?
    /// Why a refused request was not sent again.
    private(set) var stop: RetryStop?

    init(_ prepared: PreparedRequest) {
        authenticator = prepared.resolvedOptions.authenticator
        hop = prepared.first
        hasOwn = hop.hasOwnCredential
    }

    /// Whether a hop carries the credential.
    ///
    /// - Parameters:
    ///   - adapted: the adapted hop; nil before the adapters have run.
    ///   - hasAuthenticated: whether a challenge of the server was answered: the answer is in `Authorization`.
    func isNeeded(for adapted: HopRequest?, hasAuthenticated: Bool) -> Bool {
        guard let authenticator, !hasLeftOrigins, !hasOwn, !(hasAuthenticated && fillsAuthorization) else {
            return false
        }
        if let adapted, adapted.isAdapted, adapted.hasOwnCredential { return false }
        guard let origin = Origin((adapted ?? hop).url) else { return false }
        return authenticator.covers(origin)
    }

    /// Sets the final form of the next hop.
    func setFinalForm(_ adapted: HopRequest) {
        if let credential = adapted.credential { fillsAuthorization = credential.headers["Authorization"] != nil }
        self.adapted = adapted
    }

    /// Follows a redirect.
    ///
    /// - Parameter source: the redirected hop, as it was sent.
    func follow(_ target: HopRequest, from source: HopRequest) {
        if let authenticator, let origin = Origin(source.url), !authenticator.covers(origin) { hasLeftOrigins = true }
        if source.hasOwnCredential || target.hasOwnCredential { hasOwn = true }
        hop = target
        adapted = nil
    }

    /// Begins to send the request again after a response, if the server has refused its credential and there is, or
    /// will be, another credential.
    ///
    /// - Parameter hasAuthenticated: whether a challenge of the server was answered.
    /// - Returns: whether the request is sent again.
    func beginRepeat(after head: ResponseHead, canRepeatBody: Bool, hasAuthenticated: Bool) -> Bool {
        guard let generation = adapted?.credential?.generation, let authenticator,
            !(hasAuthenticated && fillsAuthorization)
        else { return false }
        guard head.statusCode == 401 else {
            hasRepeated = false  // the redirect's target may refuse the credential again
            return false
        }
        guard !hasRepeated, authenticator.canReplace(generation, refusedBy: head.values(for: "WWW-Authenticate"))
        else { return false }
        guard canRepeatBody else {
            stop = .bodyGone
            return false
        }
        (hasRepeated, refusedGeneration) = (true, generation)
        return true
    }
}

@available(*, unavailable)
extension HopCredentials: Sendable {}
