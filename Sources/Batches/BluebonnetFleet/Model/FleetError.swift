// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// An error of a fleet's store: the store cannot be used, or refuses a call.
public struct FleetError: Error, Sendable, Hashable {
    /// The kind of an error. The set is open, so that a new code breaks no program.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code's name.
        public let rawValue: String
        /// Creates a code from a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store cannot be reached, does not answer, or has closed the connection. The store may be available
        /// again later.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The store refuses the connection, for example because of a wrong password, a missing database or a
        /// certificate.
        public static let refused = Code(rawValue: "refused")
        /// A newer version of the library has made the tables of the store.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// No batch has the name.
        public static let noBatch = Code(rawValue: "noBatch")
        /// No schedule has the name.
        public static let noSchedule = Code(rawValue: "noSchedule")
        /// Another batch has the name.
        public static let nameTaken = Code(rawValue: "nameTaken")
        /// The batch's state does not allow the call.
        public static let notPossible = Code(rawValue: "notPossible")
        /// The worker was declared lost, and its lines were given to other workers.
        public static let workerLost = Code(rawValue: "workerLost")
        /// The data in the store cannot be interpreted, or the store has failed in another way.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of the error.
    public let code: Code
    /// One sentence: what happened, and what to do about it, if that is known.
    public let message: String
    /// Details from the store, for a bug report; nil without details.
    public let underlying: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }
}

extension FleetError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }

    /// The message, and the details from the store.
    public var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}
