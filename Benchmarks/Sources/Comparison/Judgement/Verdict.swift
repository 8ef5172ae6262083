// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a client's attempt at a case came to.
package enum Verdict: Sendable, Equatable {
    case passed
    /// A success was reported with a response that is not what the server sent, or that the server never finished.
    case wrongSuccess(String)
    /// The requests had not ended when the case's time was over.
    case hang(String)
    case crash(String)
    /// An error where a success was due, or something was sent that must not be sent.
    case otherFailure(String)
    /// The client has no such feature, or leaves it to its user, which standards permit.
    case notOffered(String)

    /// Its reason, if it has one.
    package var reason: String? {
        switch self {
        case .passed: nil
        case .wrongSuccess(let text), .hang(let text), .crash(let text), .otherFailure(let text), .notOffered(let text):
            text
        }
    }
}
