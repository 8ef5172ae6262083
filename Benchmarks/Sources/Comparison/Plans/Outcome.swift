// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The outcome that a client reported for one request.
package struct Outcome: Codable, Sendable, Equatable {
    /// The index of the request in its plan.
    package let index: Int
    /// The status of a response that the client reported as complete; nil if the client reported an error.
    package let status: Int?
    /// The client's error; nil for a response.
    package let error: String?

    package static func success(_ index: Int, status: Int) -> Outcome {
        Outcome(index: index, status: status, error: nil)
    }

    package static func failure(_ index: Int, _ error: String) -> Outcome {
        Outcome(index: index, status: nil, error: String(error.prefix(300)))
    }
}

/// The result of the process that made one client's requests in one case.
package struct Attempt: Sendable {
    /// The end of the process.
    package enum End: Sendable, Equatable {
        case exited
        case crashed(String)
        /// The process did not end in time and was killed.
        case killed
    }

    /// An outcome with the delivered body.
    package struct Delivery: Sendable {
        package let outcome: Outcome
        /// The first bytes of the body, at most `bodyPrefixByteCount`.
        package let body: [UInt8]

        package init(_ outcome: Outcome, body: [UInt8]) { (self.outcome, self.body) = (outcome, body) }
    }

    /// The number of body bytes that are compared. Every correct body is shorter.
    package static let bodyPrefixByteCount = 4 << 20

    package let end: End
    package let deliveries: [Delivery]
    package let peakResidentByteCount: Int

    package init(end: End, deliveries: [Delivery], peakResidentByteCount: Int) {
        (self.end, self.deliveries, self.peakResidentByteCount) = (end, deliveries, peakResidentByteCount)
    }
}
