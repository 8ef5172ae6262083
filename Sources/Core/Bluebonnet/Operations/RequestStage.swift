// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The stages of a request, in order. A redirect, the answer to a challenge, a continuation after a pause, and another
/// attempt after a wait go back to `connectivity`. `RequestRunner` goes through them.
enum RequestStage {
    /// The request is made and checked.
    case prepare
    /// The cache is asked; before admission, because a cached response needs no slot.
    case cache
    /// The server can be reached; before admission, because an operation that waits for that needs no slot.
    case connectivity
    /// There is a credential that the hop may use; before admission, because an operation that waits for that needs no
    /// slot.
    case credential
    /// The hop gets a slot.
    case admission(Origin)
    /// Request adapters and authenticator change the hop's request; after admission, so that a date or a signature is
    /// fresh. From here a hop goes back to `credential` when there is none, and to another origin's `admission`.
    case adaptation(Origin)
    /// What the hop needs is opened and read; after admission, because what waits is to hold no descriptor.
    case files(Origin)
    /// One transfer.
    case hop(Origin)
    /// The next attempt is waited for, until an instant of the retries' clock; without a slot.
    case retry(until: UInt64)
    /// The body is written where it belongs.
    case body
    case end(End)

    /// An error and a cached response stand apart: they would make each stage several times as large, and the runner
    /// copies stages often (benchmark `mixed`).
    enum End {
        case complete
        indirect case failed(NetworkingError)
        indirect case cached(CachedResponse)

        var error: NetworkingError? { if case .failed(let error) = self { error } else { nil } }
    }

    /// Whether a paused operation goes into the stage only when it is resumed.
    var waitsForResume: Bool {
        switch self {
        case .prepare, .cache, .connectivity, .credential, .admission, .adaptation, .files, .hop, .retry: true
        case .body, .end: false
        }
    }

    /// The reason why a request waits, with its stage.
    enum Wait {
        /// Nothing runs, before the start or after a pause; the request continues with this stage.
        case resume(RequestStage)
        /// `prepare` or `cache`: work off the network thread.
        case work
        case connectivity(ConnectivityGate.Ticket)
        /// A refresh of the credential.
        case credential
        /// `admission`, `adaptation`, `files` or `hop`: see `HopSlot`.
        case hop
        /// `hop`: the transfer has ended, and a block of the user decides what follows.
        case decision
        /// `hop`: the attempt has failed, and the retry block decides whether there is another one.
        case retryDecision
        case retry(NetworkTimers.Ticket, until: UInt64)
        case body(SinkClosing)
        /// `end`, after a failure: the write in progress is over soon.
        case leaving(SinkClosing)
        /// The request has ended.
        case nothing

        /// What the operation waits for, in half a sentence; nil when it does not wait.
        func obstacle(_ slot: HopSlot, _ attempts: AttemptSeries?) -> String? {
            switch self {
            case .connectivity: "there is no network by which its server can be reached"
            case .credential: "its credential is being refreshed"
            case .hop: slot.obstacle
            case .decision, .retryDecision: "a block of the program has not answered yet"
            case .retry(_, let instant): attempts?.obstacle(until: instant)
            case .body, .leaving: "its body is still being written"
            case .resume, .work, .nothing: nil
            }
        }

        /// Whether the operation was admitted, and has neither ended nor been paused since.
        func isUnderWay(in slot: HopSlot) -> Bool {
            switch self {
            case .hop: slot.isUnderWay
            case .connectivity, .credential: slot.account.wasAdmitted
            case .decision, .retryDecision, .retry, .body, .leaving: true
            case .resume, .work, .nothing: false
            }
        }
    }
}

extension RequestStage {
    /// The stage after the cache's answer.
    init(after answer: CacheExchange.Answer) {
        switch answer {
        case .found(let response): self = .end(.cached(response))
        case .refused(let error): self = .end(.failed(error))
        case .load: self = .connectivity
        }
    }
}

extension NetworkingError {
    static func limitPassed(to origin: Origin) -> NetworkingError {
        timeLimit(.total, "the time limit of the request to \(origin.host) had passed before the request began")
    }

    /// - Parameter byteCount: the length of the body.
    static func limitPassedWriting(_ byteCount: Int64) -> NetworkingError {
        timeLimit(
            .total, "the time limit passed while the body was being written: not all of its \(byteCount) bytes are")
    }

    static var limitPassedPlacing: NetworkingError {
        timeLimit(.total, "the time limit passed before a block said where the downloaded file goes")
    }

    static func noConnectivity(to origin: Origin, for limit: Duration) -> NetworkingError {
        timeLimit(
            .connectivity, "there was no network by which to reach \(origin.host) for \(limit)", code: .notConnected)
    }
}

extension TransferOptions {
    /// What has to be reachable for a request to an origin: the proxy if there is one; nil when no network is needed.
    func connectivityTarget(_ origin: Origin) -> ReachabilityTarget? {
        guard unixSocketPath == nil else { return nil }
        if let proxy = proxy(to: origin) {
            return URLComponents(string: proxy.url)?.host.map(ReachabilityTarget.init(host:))
        }
        return ReachabilityTarget(host: addressOverride(for: origin.host) ?? origin.host)
    }
}
