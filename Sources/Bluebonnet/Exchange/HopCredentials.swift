// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What one exchange knows of its authenticator's credential, hop by hop: which hops carry it, and whether a 401 is
/// followed by the request with another one. A part of its hop chain; it applies and refreshes nothing.
struct HopCredentials {
    private let authenticator: SharedAuthenticator?
    /// The next hop, or the current one, before adapters and authenticator.
    private(set) var hop: RedirectPolicy.Request
    /// In which form the hop goes out; nil before, and without adapters and authenticator.
    var adapted: AdaptedRequest?
    /// Whether an earlier hop went to an origin that the authenticator does not cover: where such an origin leads to,
    /// it must not send with the credential.
    private var hasLeftOrigins = false
    /// Whether the request was sent again in this attempt.
    var hasRepeated = false
    private(set) var refusedGeneration: Int?
    /// Why a refused request was not sent again.
    private(set) var stop: RetryStop?

    init(_ prepared: PreparedRequest) {
        authenticator = prepared.resolvedOptions.authenticator
        hop = prepared.first
    }

    /// Whether a hop carries the credential.
    ///
    /// - Parameter adapted: what adapters made of the hop; nil before they have run.
    func isNeeded(for adapted: AdaptedRequest?) -> Bool {
        guard let authenticator, !hasLeftOrigins else { return false }
        let hop = adapted?.hop ?? hop
        guard hop.headers["Authorization"] == nil, let origin = Origin(hop.url) else { return false }
        return authenticator.covers(origin)
    }

    /// A redirect is followed.
    ///
    /// - Parameter source: the hop that was redirected, as it was sent.
    mutating func follow(_ target: RedirectPolicy.Request, from source: RedirectPolicy.Request) {
        if let authenticator, let origin = Origin(source.url), !authenticator.covers(origin) { hasLeftOrigins = true }
        hop = target
        adapted = nil
    }

    /// Whether the request is sent once more after a response, because the server has refused its credential and there
    /// is, or will be, another one.
    mutating func repeats(after head: ResponseHead, canRepeatBody: Bool) -> Bool {
        guard let generation = adapted?.generation, let authenticator else { return false }
        guard head.statusCode == 401 else {
            authenticator.noteAccepted(generation)
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
