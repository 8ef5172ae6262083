// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// The result of one operation of a batch, as a line of the results.
///
/// `encodedLine()` writes the line. `Codable` reads and writes this object without the order of its members.
public struct ResultLine: Sendable, Hashable, Codable {
    /// How an operation ended.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// The response is as expected.
        case success
        /// An error, which the line gives.
        case failure
        /// Cancelled before it ended.
        case cancelled
        /// Not started, because an operation that it needed did not succeed.
        case skipped
        /// With a journal only: the process ended when the request may have been sent, and its outcome is not known.
        case unknown
    }

    /// The id of the operation.
    public var id: String
    /// How the operation ended.
    public var outcome: Outcome
    /// The status of the final response, when there was one.
    public var status: Int?
    /// The URL of the final response.
    public var url: String?
    /// The size of the decoded body that was delivered or stored.
    public var bytes: Int?
    /// The SHA-256 digest of that body, in hexadecimal digits.
    public var sha256: String?
    /// The headers of the final response, as they arrived. A line is written with their names in lower case, each once:
    /// repeated headers are joined by ", ", `set-cookie` is an array. Equality of lines looks at what is written.
    public var headers: HeaderFields? {
        get { lineHeaders?.headers }
        set { lineHeaders = newValue.map(LineHeaders.init) }
    }
    private(set) var lineHeaders: LineHeaders?
    /// The body, when it was asked for and is text.
    public var body: String?
    /// The transfers made.
    public var attempts = 0
    /// The failed attempts that were followed by another one, in order; nil when there was one attempt.
    public var retries: [Retry]?
    /// The redirects followed.
    public var redirects = 0
    /// The protocol of the final response, such as `h2`.
    public var `protocol`: String?
    /// Whether the last transfer ran on a connection that was kept alive.
    public var reused = false
    /// The times of the operation's phases; nil when the operation was never started.
    public var timing: Timing?
    /// Why the operation did not succeed.
    public var error: Failure?
    /// In a fleet, of a line with an `output`: the name of the worker that sent the request, and has the file.
    public var worker: String?

    private enum CodingKeys: String, CodingKey {
        case id, outcome, status, url, bytes, sha256
        case lineHeaders = "headers"
        case body, attempts, retries, redirects, `protocol`, reused, timing, error, worker
    }

    /// Makes a line without a response, a transfer or an error.
    public init(id: String, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}

extension ResultLine {
    /// The times of an operation's phases, in seconds of the monotonic clock; zero for a phase that did not take place.
    public struct Timing: Sendable, Hashable, Codable {
        /// The time until the operation got a slot.
        public var queued = 0.0
        /// The name look-up.
        public var dns = 0.0
        /// The connection.
        public var connect = 0.0
        /// The TLS handshake.
        public var tls = 0.0
        /// The time from the slot to the first byte of the response.
        public var firstByte = 0.0
        /// The time of the whole operation.
        public var total = 0.0

        /// Makes a record of zeros.
        public init() {}
    }

    /// An attempt that failed and was followed by another one.
    public struct Retry: Sendable, Hashable, Codable {
        /// How the attempt ended.
        public var after: NetworkingError.Code
        /// The status of its response; nil when the attempt ended without one.
        public var status: Int?
        /// The seconds that the operation waited before the next attempt.
        public var waited: Double

        /// Makes a record of an attempt.
        public init(after: NetworkingError.Code, status: Int? = nil, waited: Double) {
            (self.after, self.status, self.waited) = (after, status, waited)
        }
    }

    /// Why an operation did not succeed.
    public struct Failure: Sendable, Hashable, Codable {
        /// The outcome.
        public var code: NetworkingError.Code
        /// One sentence for people.
        public var message: String
        /// The code and the text of the library below, for a bug report.
        public var underlying: String?

        /// Makes a failure.
        public init(code: NetworkingError.Code, message: String, underlying: String? = nil) {
            self.code = code
            self.message = message
            self.underlying = underlying
        }

        /// Makes a failure from an error.
        public init(_ error: NetworkingError) {
            self.init(
                code: error.code, message: error.message,
                underlying: error.underlying.map { String(describing: $0) })
        }
    }
}
