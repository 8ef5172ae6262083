// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Why a fleet's store cannot be used, or refuses what it was asked.
public struct FleetError: Error, Sendable, Hashable {
    /// The kind of the error: an open set, so that a new code breaks no program.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code's name.
        public let rawValue: String
        /// Makes a code of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store cannot be reached, does not answer, or has closed the connection. It may be back later.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The store refuses the connection: a wrong password, no such database, a certificate.
        public static let refused = Code(rawValue: "refused")
        /// The store has the tables of a newer version of the library.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// No batch has the name.
        public static let noBatch = Code(rawValue: "noBatch")
        /// Another batch has the name.
        public static let nameTaken = Code(rawValue: "nameTaken")
        /// The batch's state does not allow the call.
        public static let notPossible = Code(rawValue: "notPossible")
        /// The worker was taken for lost, and its lines were given to others.
        public static let workerLost = Code(rawValue: "workerLost")
        /// What the store has cannot be made sense of, or the store has failed otherwise.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of the error.
    public let code: Code
    /// One sentence: what happened, and what to do if that is known.
    public let message: String
    /// What the store says, for a bug report; nil when there is nothing of that.
    public let underlying: String?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }
}

extension FleetError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { message }

    /// The sentence, and what the store says.
    public var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}
