// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The correct outcomes of a request.
package enum Expectation: Sendable {
    /// One of these responses.
    case success([Answer])
    /// An error.
    case failure
    /// One of these responses, or an error.
    case either([Answer])
    /// Any outcome: only the checks of the servers decide.
    case anything

    package static func success(_ body: String) -> Expectation { .success([Answer(200, body)]) }
    package static func either(_ body: String) -> Expectation { .either([Answer(200, body)]) }
}

/// A response as a client delivers it.
package struct Answer: Sendable {
    package let status: Int
    /// The body; nil accepts any body.
    package let body: [UInt8]?

    package init(_ status: Int, _ body: String?) { (self.status, self.body) = (status, body.map { Array($0.utf8) }) }

    package init(_ status: Int, bytes: [UInt8]) { (self.status, body) = (status, bytes) }

    /// Redirects that are delivered and not followed.
    package static let redirects = [301, 302, 303, 307, 308].map { Answer($0, nil) }

    func fits(_ status: Int, _ body: [UInt8]) -> Bool { self.status == status && (self.body ?? body) == body }
}
