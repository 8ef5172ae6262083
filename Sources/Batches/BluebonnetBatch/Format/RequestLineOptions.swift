// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
public import Foundation

extension RequestLine {
    /// The order among ready operations.
    public enum Priority: String, CaseIterable, Sendable, Codable, JSONRepresentable {
        case veryLow, low, normal, high, veryHigh

        /// The priority as Foundation's `Operation.QueuePriority`.
        public var queuePriority: Operation.QueuePriority {
            switch self {
            case .veryLow: .veryLow
            case .low: .low
            case .normal: .normal
            case .high: .high
            case .veryHigh: .veryHigh
            }
        }
    }

    /// Conditions for a response; an operation whose response violates one fails.
    public struct Expectation: Sendable, Hashable, Codable {
        /// The accepted status codes; nil means 200 to 299.
        public var status: [Int]?
        /// The accepted content types; nil means any.
        public var type: [String]?
        /// The SHA-256 digest that the body must have, in hexadecimal digits.
        public var sha256: String?

        /// Makes an expectation; what is left out is not checked, or has its default.
        public init(status: [Int]? = nil, type: [String]? = nil, sha256: String? = nil) {
            self.status = status
            self.type = type
            self.sha256 = sha256
        }
    }

    /// A user name and a password.
    public struct Credential: Sendable, Hashable, Codable {
        /// The user's name.
        public var user: String
        /// The password, in clear.
        public var password: String

        /// Makes a credential.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Which servers are trusted, and how the client identifies itself; nil leaves the batch's policy in force.
    public struct Security: Sendable, Hashable, Codable {
        /// What is pinned.
        public enum Mode: String, CaseIterable, Sendable, Codable, JSONRepresentable {
            /// Nothing: the trust store decides.
            case none
            /// The public key of a certificate.
            case publicKey
            /// A whole certificate.
            case certificate
        }

        /// What is pinned.
        public var mode: Mode?
        /// The paths of the pinned certificates, DER or PEM.
        public var pins: [String]?
        /// The path of the certificates to trust instead of the system's.
        public var ca: String?
        /// Whether a certificate that does not verify is accepted.
        public var allowInvalidCertificates: Bool?
        /// Whether the certificate must name the host.
        public var validatesHost: Bool?
        /// The path of the client's certificate.
        public var clientCertificate: String?
        /// The path of the client's private key.
        public var clientKey: String?

        /// Makes a policy that changes nothing.
        public init() {}
    }

    /// When the request is sent again after a failure. What is nil is the batch's, or else that of the library's
    /// standard policy.
    public struct Retry: Sendable, Hashable, Codable {
        /// The most attempts in all; 1 sends nothing again.
        public var attempts: Int?
        /// The seconds after which no other attempt begins.
        public var maxTime: Double?
        /// The statuses after which the request is sent again.
        public var statuses: [Int]?

        /// Makes a retry rule; what is left out is the batch's.
        public init(attempts: Int? = nil, maxTime: Double? = nil, statuses: [Int]? = nil) {
            (self.attempts, self.maxTime, self.statuses) = (attempts, maxTime, statuses)
        }

        /// A policy with what the line says over a batch's.
        func policy(over batch: RetryPolicy?) -> RetryPolicy {
            // A batch that sends nothing again only says how long others may try.
            var policy = batch ?? .standard
            if policy.maximumAttemptCount <= 1 { policy.maximumAttemptCount = RetryPolicy.standard.maximumAttemptCount }
            if let attempts { policy.maximumAttemptCount = attempts }
            if let maxTime { policy.maximumTime = maxTime < 1e9 ? .seconds(maxTime) : nil }
            if let statuses { policy.statusCodes = Set(statuses) }
            return policy
        }
    }

    /// The value of an `Idempotency-Key` field.
    public enum Key: Sendable, Hashable, Codable {
        /// A random one, made when the operation starts; `true` in a line.
        case automatic
        /// A text; a string in a line.
        case value(String)
    }

    /// Something that is done to the operation while it runs.
    public struct ScriptStep: Sendable, Hashable, Codable {
        /// The actions on a running operation.
        public enum Action: String, CaseIterable, Sendable, Codable, JSONRepresentable {
            case pause, resume, cancel
        }

        /// The seconds after the operation's start.
        public var at: Double
        /// The action; the field `do`.
        public var action: Action

        /// Makes a step.
        public init(at: Double, action: Action) {
            self.at = at
            self.action = action
        }
    }
}
