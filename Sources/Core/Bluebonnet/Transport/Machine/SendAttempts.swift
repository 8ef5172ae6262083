// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How often a request was sent, over which connections, and whether it may be sent once more.
///
/// A request that is not idempotent is sent once. Another one may be sent again while there is no answer: libcurl does
/// so by itself on a new connection when a kept-alive one turns out dead (RFC 9110, 9.2.2), or when an HTTP/2 server
/// says that it has not looked at the request (REFUSED_STREAM, GOAWAY; RFC 9113, 8.7). That it was the latter libcurl
/// does not tell for certain: that it gave no reason is taken for it with an idempotent request only, never with a
/// POST.
///
/// A request whose expectation was refused before its body began to leave is sent again, once and on a new connection
/// (417; RFC 9110, 10.1.1): the server has not looked at it. libcurl would send it over the same connection, where the
/// server may take it for the body that it was promised, and with a caller's `Expect` as before.
struct SendAttempts {
    /// How often a request may be sent that HTTP/2 servers go on refusing: as often as libcurl tries.
    private static let refusalLimit = 6

    /// Sendings of the request as it is now.
    private(set) var count = 0
    /// Whether the last sending was over HTTP/2; before the first one, whether it will be.
    private(set) var isMultiplexed: Bool
    /// Whether the request goes out without the expectation that it was made with.
    let leavesExpectationOut: Bool
    private let isIdempotent: Bool
    /// Whether the first sending was over a connection that had been used before, or that others use too.
    private var beganOnKeptConnection = false

    init(_ request: TransferRequest, leavesExpectationOut: Bool = false) {
        isMultiplexed = !request.isSecure && request.limits.httpVersion == .http2PriorKnowledge
        isIdempotent = request.isIdempotent
        self.leavesExpectationOut = leavesExpectationOut
    }

    /// libcurl has found the connection for the first sending.
    mutating func begin(onKeptConnection isKept: Bool) { beganOnKeptConnection = isKept }

    /// The request is about to be sent: a second time is libcurl's silent retry, or ours.
    ///
    /// - Parameters:
    ///   - isMultiplexed: whether the connection speaks HTTP/2.
    ///   - isExplained: whether libcurl has words for the end of the last sending, which it has not for a refusal.
    /// - Returns: whether the request may be sent so often.
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

    /// Whether the request is sent again after an end without an answer: an HTTP/2 connection went away in a manner
    /// that libcurl leaves to us.
    func mayFollow(_ result: LibraryResult) -> Bool {
        guard isMultiplexed && isIdempotent else { return false }
        return switch result {
        case .partial: beganOnKeptConnection && count == 1
        case .wentAway: count < Self.refusalLimit
        case .success, .streamEndedEarly, .otherError: false
        }
    }
}
