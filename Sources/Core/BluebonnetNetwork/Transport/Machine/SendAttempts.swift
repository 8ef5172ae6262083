// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Counts how often a request was sent and over which connections, and decides whether it may be sent again.
///
/// A request that is not idempotent is sent once. An idempotent request may be sent again while there is no response.
/// libcurl sends it again by itself on a new connection when a kept-alive connection turns out to be dead (RFC 9110,
/// 9.2.2), or when an HTTP/2 server reports that it did not process the request (REFUSED_STREAM, GOAWAY; RFC 9113,
/// 8.7). libcurl does not report such a refusal with certainty: a missing reason counts as a refusal for an idempotent
/// request only, never for a POST.
///
/// A request whose expectation was refused before any byte of its body was sent is sent again, once and on a new
/// connection (417; RFC 9110, 10.1.1), because the server did not process it. libcurl would use the same connection,
/// where the server may take the request for the promised body, and would repeat a caller's `Expect`.
struct SendAttempts {
    /// How often a request may be sent while HTTP/2 servers keep refusing it: as often as libcurl tries.
    private static let refusalLimit = 6

    /// The number of times that the request was sent in its present form.
    private(set) var count = 0
    /// Whether the last send attempt used HTTP/2. Before the first attempt: whether it will.
    private(set) var isMultiplexed: Bool
    /// Whether the request is sent without its original expectation.
    let leavesExpectationOut: Bool
    private let isIdempotent: Bool
    /// Whether the first send attempt used a connection that had been used before or is shared with other requests.
    private var beganOnKeptConnection = false

    init(_ request: TransferRequest, leavesExpectationOut: Bool = false) {
        isMultiplexed = !request.isSecure && request.limits.httpVersion == .http2PriorKnowledge
        isIdempotent = request.isIdempotent
        self.leavesExpectationOut = leavesExpectationOut
    }

    /// Records the connection that libcurl has found for the first send attempt.
    mutating func begin(onKeptConnection isKept: Bool) { beganOnKeptConnection = isKept }

    /// Records that the request is about to be sent. A second send is libcurl's silent retry, or a retry of the
    /// library.
    ///
    /// - Parameters:
    ///   - isMultiplexed: whether the connection uses HTTP/2.
    ///   - isExplained: whether libcurl has an error text for the end of the last attempt. It writes no text for a
    ///     refusal.
    /// - Returns: whether the request may be sent this often.
    mutating func add(multiplexed isMultiplexed: Bool, isExplained: @autoclosure () -> Bool) -> Bool {
        count += 1
        guard count > 1 else {
            self.isMultiplexed = isMultiplexed
            return true
        }
        let isRefusal = self.isMultiplexed && !isExplained()
        self.isMultiplexed = isMultiplexed
        return isIdempotent && count <= (isRefusal ? Self.refusalLimit : 2)
    }

    /// Returns whether to send the request again after an HTTP/2 connection went away without a response, in the cases
    /// that libcurl does not retry itself.
    func canRetry(after result: LibraryResult) -> Bool {
        guard isMultiplexed && isIdempotent else { return false }
        return switch result {
        case .partial: beganOnKeptConnection && count == 1
        case .wentAway: count < Self.refusalLimit
        case .success, .streamEndedEarly, .otherError: false
        }
    }
}
