// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The stages of a request, in order. A redirect, the answer to a challenge, a continuation after a pause, and another
/// attempt after back-off return to `connectivity`. `RequestMachine` decides which stage is next.
enum RequestStage: Equatable {
    /// The request is made and checked.
    case prepare
    /// The cache is queried; before admission, because a cached response needs no slot.
    case cache
    /// Waits for an equal request whose response may answer this one.
    case coalescing
    /// The body of a stored response is read, and the operation's files are opened.
    case storedFiles(Origin)
    /// The stored response is delivered like the response of a transfer.
    case stored(Origin)
    /// Waits for a route to the server; before admission, because a waiting operation needs no slot.
    case connectivity
    /// Waits for a credential that the hop may use; before admission, because a waiting operation needs no slot.
    case credential
    /// Waits for a slot for the hop.
    case admission(Origin)
    /// Request adapters and the authenticator change the hop's request; after admission, so that a date or a signature
    /// is fresh. Without a credential the hop returns to `credential`; with a changed origin, to `connectivity`.
    case adaptation(Origin)
    /// The hop's files are opened and read; after admission, because a waiting operation uses no descriptor.
    case files(Origin)
    /// One transfer.
    case hop(Origin)
    /// The transfer has ended, and a block of the program decides what follows.
    case answer
    /// The attempt has failed, and the retry block decides whether the request is retried.
    case retryAnswer
    /// Waits until the next attempt begins, at an instant of the retries' clock. The operation has no slot.
    case backoff(until: UInt64)
    /// The body is written to its file or stream.
    case body

    /// The stage with which a request continues after a pause in this stage; nil if a pause does not interrupt the
    /// stage's work.
    var stageAfterPause: RequestStage? {
        switch self {
        case .connectivity, .admission, .adaptation, .files, .hop: .connectivity
        case .credential, .backoff: self
        case .coalescing: .cache
        case .prepare, .cache, .storedFiles, .stored, .answer, .retryAnswer, .body: nil
        }
    }
}

extension NetworkingError {
    static func limitPassed(to origin: Origin) -> NetworkingError {
        timeLimit(.total, "the time limit of the request to \(origin.host) passed before the request started")
    }

    static var limitPassedCoalescing: NetworkingError {
        timeLimit(.total, "the time limit passed before the response to an equal request had arrived")
    }

    /// - Parameter byteCount: the length of the body.
    static func limitPassedWriting(_ byteCount: Int64) -> NetworkingError {
        timeLimit(
            .total, "the time limit passed before all \(byteCount) bytes of the body were written")
    }

    static var limitPassedPlacing: NetworkingError {
        timeLimit(.total, "the time limit passed before a block chose the destination of the download")
    }

    static func noConnectivity(to origin: Origin, for limit: Duration) -> NetworkingError {
        timeLimit(
            .connectivity, "there was no network route to \(origin.host) for \(limit)", code: .notConnected)
    }
}

extension TransferOptions {
    /// Returns the target that has to be reachable for a request to an origin: the proxy if there is one, else the
    /// server. Nil if no network is needed.
    func connectivityTarget(_ origin: Origin) -> ReachabilityTarget? {
        guard unixSocketPath == nil else { return nil }
        if let proxy = proxy(to: origin) {
            return URLComponents(string: proxy.url)?.host.map(ReachabilityTarget.init(host:))
        }
        return ReachabilityTarget(host: addressOverride(for: origin.host) ?? origin.host)
    }
}
