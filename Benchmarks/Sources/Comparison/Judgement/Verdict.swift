// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The result of a client's attempt at a case.
package enum Verdict: Sendable, Equatable {
    case passed
    /// The client reported success with a response that the server did not send, or did not complete.
    case wrongSuccess(String)
    /// The requests had not ended at the case's time limit.
    case hang(String)
    case crash(String)
    /// The client reported an error instead of an expected success, or sent data that must not be sent.
    case otherFailure(String)
    /// The client lacks the feature, or leaves it to its user, which standards permit.
    case notOffered(String)

    /// The reason; nil for a passed case.
    package var reason: String? {
        switch self {
        case .passed: nil
        case .wrongSuccess(let text), .hang(let text), .crash(let text), .otherFailure(let text), .notOffered(let text):
            text
        }
    }
}
