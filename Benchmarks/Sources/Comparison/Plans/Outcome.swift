// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a client said about one request.
package struct Outcome: Codable, Sendable, Equatable {
    /// The request's place in its plan.
    package let index: Int
    /// The status of a response that the client called complete; nil when it reported an error.
    package let status: Int?
    /// The client's error.
    package let error: String?

    package static func success(_ index: Int, status: Int) -> Outcome {
        Outcome(index: index, status: status, error: nil)
    }

    package static func failure(_ index: Int, _ error: String) -> Outcome {
        Outcome(index: index, status: nil, error: String(error.prefix(300)))
    }
}

/// How the process that made the requests of one case with one client ended.
package struct Attempt: Sendable {
    /// The end of a process.
    package enum End: Sendable, Equatable {
        case exited
        case crashed(String)
        /// It did not end in time and was killed.
        case killed
    }

    /// An outcome with the body that was delivered.
    package struct Delivery: Sendable {
        package let outcome: Outcome
        /// The first bytes of the body, at most `bodyPrefixByteCount`.
        package let body: [UInt8]

        package init(_ outcome: Outcome, body: [UInt8]) { (self.outcome, self.body) = (outcome, body) }
    }

    /// How much of a body is compared. No right body is as long.
    package static let bodyPrefixByteCount = 4 << 20

    package let end: End
    package let deliveries: [Delivery]
    package let peakResidentByteCount: Int

    package init(end: End, deliveries: [Delivery], peakResidentByteCount: Int) {
        (self.end, self.deliveries, self.peakResidentByteCount) = (end, deliveries, peakResidentByteCount)
    }
}
