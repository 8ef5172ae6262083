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

    /// Conditions that a response must meet. If it violates one, the operation fails.
    public struct Expectation: Sendable, Hashable, Codable {
        /// The accepted status codes; nil means 200 to 299.
        public var status: [Int]?
        /// The accepted content types; nil means any.
        public var type: [String]?
        /// The SHA-256 digest that the body must have, in hexadecimal digits.
        public var sha256: String?

        /// Makes an expectation. Omitted conditions have their default.
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
        /// The password, in clear text.
        public var password: String

        /// Makes a credential.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Which servers are trusted, and how the client identifies itself. Options that are nil keep the batch's policy.
    public struct Security: Sendable, Hashable, Codable {
        /// The part of a certificate that is pinned.
        public enum Mode: String, CaseIterable, Sendable, Codable, JSONRepresentable {
            /// Nothing: the trust store decides.
            case none
            /// The public key of a certificate.
            case publicKey
            /// A whole certificate.
            case certificate
        }

        /// The pinned part of a certificate.
        public var mode: Mode?
        /// The paths of the pinned certificates, DER or PEM.
        public var pins: [String]?
        /// The path of the certificates to trust instead of the system's.
        public var ca: String?
        /// Whether certificates that fail verification are accepted.
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

    /// When a failed request is retried. Options that are nil have the batch's value, or else the value of the
    /// library's standard policy.
    public struct Retry: Sendable, Hashable, Codable {
        /// The maximum number of attempts in all; 1 means no retries.
        public var attempts: Int?
        /// The time after which no further attempt begins, in seconds.
        public var maxTime: Double?
        /// The statuses after which the request is retried.
        public var statuses: [Int]?

        /// Makes a retry rule. Omitted options have the batch's values.
        public init(attempts: Int? = nil, maxTime: Double? = nil, statuses: [Int]? = nil) {
            (self.attempts, self.maxTime, self.statuses) = (attempts, maxTime, statuses)
        }

        /// Returns the batch's policy with the line's options over it.
        func policy(over batch: RetryPolicy?) -> RetryPolicy {
            // A batch policy without retries must not disable the line's rule: the standard number of attempts then
            // applies.
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
        /// A random key, made when the operation starts; `true` in a line.
        case automatic
        /// A given key; a string in a line.
        case value(String)
    }

    /// An action on the operation at a point in time while it runs.
    public struct ScriptStep: Sendable, Hashable, Codable {
        /// The actions on a running operation.
        public enum Action: String, CaseIterable, Sendable, Codable, JSONRepresentable {
            case pause, resume, cancel
        }

        /// The time of the action, in seconds after the operation's start.
        public var at: Double
        /// The action. The field is called `do`.
        public var action: Action

        /// Makes a step.
        public init(at: Double, action: Action) {
            self.at = at
            self.action = action
        }
    }
}
