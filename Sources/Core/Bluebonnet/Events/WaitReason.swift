// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The reason why an operation waits.
///
/// Later versions may add cases: write a `default` when you switch over a reason.
public enum WaitReason: Sendable, Hashable {
    /// Other operations have to end first.
    ///
    /// - Parameters:
    ///   - first: the name of the first unfinished dependency, or its description if it has no name.
    ///   - count: the number of unfinished dependencies.
    case dependency(first: String, count: Int)
    /// The queue runs as many operations as it may (`maxConcurrentOperationCount`).
    case queueLimit(Int)
    /// A barrier of the queue has not ended.
    case barrier
    /// The queue is suspended.
    case suspended
    /// The manager runs as many transfers as it may. `limit` is nil if the limit is not reached, and other operations
    /// are served first.
    case slot(limit: Int?)
    /// As many transfers to the origin run as the manager or its governor allows.
    case originSlot(origin: String, limit: Int, isGovernors: Bool)
    /// A rate limit of the governor. `origin` is nil for the limit of all requests together.
    case rate(origin: String?, perSecond: Double, until: Date)
    /// The server has asked clients to wait. `status` is the status of the response that said so, if a response did.
    case hold(origin: String, until: Date, status: Int?)
    /// The circuit breaker is open, or half-open: then `until` is nil, and one request tries whether the origin answers
    /// again.
    case breaker(origin: String, until: Date?)
    /// The next attempt of the retry policy.
    case backoff(attempt: Int, until: Date)
    /// There is no network by which the server, or its proxy, can be reached.
    case connectivity
    /// The credential is being refreshed.
    case credential
    /// A request adapter has not answered.
    case adapter
    /// A block of the program has not answered.
    case block
    /// The process has no free file descriptor, or another resource of the system is used up.
    case descriptors(String)
    /// The operation is paused.
    case pause
    /// The body is being written to its file or stream.
    case writing
    /// An equal request is running, and its response may answer this one from the cache.
    case coalesced

    /// A wait reason without its details. The raw values are stable: logs, metrics and reports use them.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case dependency
        case queueLimit
        case barrier
        case suspended
        case slot
        case originSlot
        case rate
        case hold
        case breaker
        case backoff
        case connectivity
        case credential
        case adapter
        case block
        case descriptors
        case pause
        case writing
        case coalesced
    }

    /// The kind of the reason.
    public var kind: Kind {
        switch self {
        case .dependency: .dependency
        case .queueLimit: .queueLimit
        case .barrier: .barrier
        case .suspended: .suspended
        case .slot: .slot
        case .originSlot: .originSlot
        case .rate: .rate
        case .hold: .hold
        case .breaker: .breaker
        case .backoff: .backoff
        case .connectivity: .connectivity
        case .credential: .credential
        case .adapter: .adapter
        case .block: .block
        case .descriptors: .descriptors
        case .pause: .pause
        case .writing: .writing
        case .coalesced: .coalesced
        }
    }

    /// The instant at which the wait ends; nil if it is not known.
    public var until: Date? {
        switch self {
        case .rate(_, _, let date), .hold(_, let date, _), .backoff(_, let date): date
        case .breaker(_, let date): date
        default: nil
        }
    }
}

extension WaitReason: CustomStringConvertible {
    /// A clause for people: "login has not ended", "attempt 2 begins at 2026-11-28T09:00:00Z".
    public var description: String {
        switch self {
        case .dependency(let first, 1): "\(first) has not ended"
        case .dependency(let first, let count): "\(count) operations have not ended, the first is \(first)"
        case .queueLimit(let limit): "the queue runs \(Self.atMost(limit, "operation")) at once"
        case .barrier: "a barrier of the queue has not ended"
        case .suspended: "the queue is suspended"
        case .slot(nil): "other operations of the manager start first"
        case .slot(let limit?):
            "the manager runs \(Self.atMost(limit, "transfer")) at once (maximumConcurrentTransferCount)"
        case .originSlot(let origin, let limit, let isGovernors):
            isGovernors
                ? "the governor allows \(Self.atMost(limit, "transfer")) to \(origin) at once"
                : "the manager runs \(Self.atMost(limit, "transfer")) to \(origin) at once"
                    + " (maximumConcurrentTransferCountPerOrigin)"
        case .rate(let origin?, let perSecond, let date):
            "the rate of \(origin) is limited to \(Self.rate(perSecond)), and the next request may start at "
                + Self.text(date)
        case .rate(nil, let perSecond, let date):
            "the rate of all requests together is limited to \(Self.rate(perSecond)), and the next request may start "
                + "at \(Self.text(date))"
        case .hold(let origin, let date, let status):
            "\(origin) is on hold until \(Self.text(date)), because its server "
                + (status.map { "answered \($0) and " } ?? "") + "asked clients to wait"
        case .breaker(let origin, nil): "one request checks whether \(origin) answers again"
        case .breaker(let origin, let date?): "\(origin) is unavailable until \(Self.text(date)) (circuit breaker)"
        case .backoff(let attempt, let date): "attempt \(attempt) starts at \(Self.text(date))"
        case .connectivity: "there is no network by which the server can be reached"
        case .credential: "the credential is being refreshed"
        case .adapter: "a request adapter has not answered yet"
        case .block: "a block of the program has not answered yet"
        case .descriptors(let sentence): sentence
        case .pause: "the operation is paused"
        case .writing: "the body is still being written"
        case .coalesced: "an equal request is running, and its response may be used"
        }
    }

    private static func atMost(_ limit: Int, _ noun: String) -> String {
        limit == 1 ? "at most 1 \(noun)" : "at most \(limit) \(noun)s"
    }

    /// Formats a date as messages show it.
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Formats a rate: `200/s`, `0.5/s`.
    private static func rate(_ perSecond: Double) -> String {
        String(format: "%.\(perSecond < 9.95 ? 1 : 0)f", perSecond) + "/s"
    }
}
