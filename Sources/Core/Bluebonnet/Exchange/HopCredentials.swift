// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What one exchange knows of its authenticator's credential, hop by hop: which hops carry it, and whether a 401 is
/// followed by the request with another one. A part of its hop chain, and an object because the chain is copied often;
/// network thread only. It applies and refreshes nothing.
final class HopCredentials {
    private let authenticator: SharedAuthenticator?
    /// The next hop, or the current one, before adapters and authenticator.
    private(set) var hop: HopRequest
    /// In which form the hop goes out; nil before, and without adapters and authenticator.
    private(set) var adapted: HopRequest?
    /// Whether an earlier hop went to an origin that the authenticator does not cover: where such an origin leads to,
    /// it must not send with the credential.
    private var hasLeftOrigins = false
    /// Whether the request has, or had, a credential of its own: then it never gets the authenticator's.
    private var hasOwn: Bool
    /// Whether the credential stands in the `Authorization` field, where the answer to a challenge stands too.
    private var fillsAuthorization = false
    /// Whether the request was sent again in this attempt, and refused since.
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
    ///   - adapted: what adapters made of the hop; nil before they have run.
    ///   - hasAuthenticated: whether a challenge of the server was answered: that answer stands in `Authorization`.
    func isNeeded(for adapted: HopRequest?, hasAuthenticated: Bool) -> Bool {
        guard let authenticator, !hasLeftOrigins, !hasOwn, !(hasAuthenticated && fillsAuthorization) else {
            return false
        }
        if let adapted, adapted.isAdapted, adapted.hasOwnCredential { return false }
        guard let origin = Origin((adapted ?? hop).url) else { return false }
        return authenticator.covers(origin)
    }

    /// The next hop goes out in this form.
    func take(_ adapted: HopRequest) {
        if let credential = adapted.credential { fillsAuthorization = credential.headers["Authorization"] != nil }
        self.adapted = adapted
    }

    /// A redirect is followed.
    ///
    /// - Parameter source: the hop that was redirected, as it was sent.
    func follow(_ target: HopRequest, from source: HopRequest) {
        if let authenticator, let origin = Origin(source.url), !authenticator.covers(origin) { hasLeftOrigins = true }
        if source.hasOwnCredential || target.hasOwnCredential { hasOwn = true }
        hop = target
        adapted = nil
    }

    /// Whether the request is sent once more after a response, because the server has refused its credential and there
    /// is, or will be, another one.
    ///
    /// - Parameter hasAuthenticated: whether a challenge of the server was answered.
    func repeats(after head: ResponseHead, canRepeatBody: Bool, hasAuthenticated: Bool) -> Bool {
        guard let generation = adapted?.credential?.generation, let authenticator,
            !(hasAuthenticated && fillsAuthorization)
        else { return false }
        guard head.statusCode == 401 else {
            hasRepeated = false  // what a redirect leads to may refuse the credential anew
            return false
        }
        guard !hasRepeated, authenticator.mayReplace(generation, refusedBy: head.values(for: "WWW-Authenticate"))
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
