// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// The result of one operation of a batch, as a line of the results.
///
/// `encodedLine()` writes the line with its members in the format's order. `Codable` reads and writes the same object,
/// in any order.
public struct ResultLine: Sendable, Hashable, Codable {
    /// How an operation ended.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// The response met all expectations.
        case success
        /// The operation failed with the error in the line.
        case failure
        /// The operation was cancelled.
        case cancelled
        /// The operation was not started, because an operation that it depends on did not succeed, or because another
        /// line of the fleet has its key.
        case skipped
        /// With a journal only: the process ended when the request may already have been sent, so the outcome is not
        /// known.
        case unknown
    }

    /// The id of the operation.
    public var id: String
    /// How the operation ended.
    public var outcome: Outcome
    /// The status of the final response; nil without a response.
    public var status: Int?
    /// The URL of the final response.
    public var url: String?
    /// The size of the decoded body that was delivered or stored.
    public var bytes: Int?
    /// The SHA-256 digest of the decoded body, in hexadecimal digits.
    public var sha256: String?
    /// The headers of the final response, as they arrived. A line is written with the names in lower case, each once:
    /// repeated headers are joined by ", ", and `set-cookie` is an array. Equality of lines compares this written
    /// form.
    public var headers: HeaderFields? {
        get { lineHeaders?.headers }
        set { lineHeaders = newValue.map(LineHeaders.init) }
    }
    private(set) var lineHeaders: LineHeaders?
    /// The body, if it was requested and is text.
    public var body: String?
    /// The number of transfers made.
    public var attempts = 0
    /// The failed attempts that were followed by another one, in order; nil if there was one attempt.
    public var retries: [Retry]?
    /// The number of redirects followed.
    public var redirects = 0
    /// The protocol of the final response, such as `h2`.
    public var `protocol`: String?
    /// Whether the last transfer reused a connection that was kept alive.
    public var reused = false
    /// How the cache took part; nil without a cache.
    public var cache: RequestEvent.CacheAnswer?
    /// The times of the operation's phases; nil if the operation was never started.
    public var timing: Timing?
    /// The error; nil if the operation succeeded.
    public var error: Failure?
    /// The values that `extract` took from the response: an object, or an array of objects with `rows`.
    public var values: JSONValue?
    /// The number of requests of a line with `until`, without redirects and retries; nil for other lines.
    public var requests: Int?
    /// The number of the page, from 1; nil if the line is not a page.
    public var page: Int?
    /// The number of the item, from 1; nil if the line is not an item of a stream.
    public var item: Int?
    /// The server-sent event of an item.
    public var event: Event?
    /// The number of a page's items; in the result of a whole line with `paginate`, of the items of all pages; in the
    /// result of a line with `stream`, of its items.
    public var items: Int?
    /// The number of the line's pages, in the result of a whole line with `paginate`.
    public var pages: Int?
    /// The number of elements for which operations were made, in the result of a whole line with `each`.
    public var count: Int?
    /// How many of these operations succeeded, failed and were skipped.
    public var succeeded: Int?
    public var failed: Int?
    public var skipped: Int?
    /// The number of elements that were left out because an earlier element has the same key.
    public var duplicates: Int?
    /// The name of the worker that sent the request and has the output file. Only in a fleet, for a line with an
    /// `output`.
    public var worker: String?

    private enum CodingKeys: String, CodingKey {
        case id, outcome, status, url, bytes, sha256
        case lineHeaders = "headers"
        case body, attempts, retries, redirects, `protocol`, reused, cache, timing
        case values, requests, page, item, event, items, pages, count, succeeded, failed, skipped
        case duplicates, error, worker
    }

    /// Makes a line without a response, a transfer or an error.
    public init(id: String, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}

extension ResultLine {
    /// A server-sent event.
    public struct Event: Sendable, Hashable, Codable {
        /// The identifier of the last event that has one; empty if none has.
        public var id: String
        /// The type; `message` if the server sets none.
        public var event: String
        /// The data, in the form of the bodies of the results; empty if the results have no bodies.
        public var data: String
        /// Whether the line has the data.
        var hasData = true

        private enum CodingKeys: String, CodingKey { case id, event, data }

        /// Makes a record of an event.
        public init(id: String, event: String, data: String) { (self.id, self.event, self.data) = (id, event, data) }

        /// Makes a record of an event from the members of a line, of which `data` may be absent.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            id = try members.decode(String.self, forKey: .id)
            event = try members.decode(String.self, forKey: .event)
            let data = try members.decodeIfPresent(String.self, forKey: .data)
            self.data = data ?? ""
            hasData = data != nil
        }

        /// Writes the members of the line.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(id, forKey: .id)
            try members.encode(event, forKey: .event)
            if hasData { try members.encode(data, forKey: .data) }
        }
    }

    /// The times of an operation's phases, in seconds of the monotonic clock. A phase that did not take place has
    /// zero.
    public struct Timing: Sendable, Hashable, Codable {
        /// The time until the operation got a slot.
        public var queued = 0.0
        /// The time of the name look-up.
        public var dns = 0.0
        /// The time of connecting.
        public var connect = 0.0
        /// The time of the TLS handshake.
        public var tls = 0.0
        /// The time from the slot to the first byte of the response.
        public var firstByte = 0.0
        /// The time of the whole operation.
        public var total = 0.0

        /// Makes a record in which all times are zero.
        public init() {}
    }

    /// An attempt that failed and was followed by another one.
    public struct Retry: Sendable, Hashable, Codable {
        /// The error code with which the attempt ended.
        public var after: NetworkingError.Code
        /// The status of its response; nil if the attempt ended without a response.
        public var status: Int?
        /// The time between this attempt and the next one, in seconds.
        public var waited: Double

        /// Makes a record of an attempt.
        public init(after: NetworkingError.Code, status: Int? = nil, waited: Double) {
            (self.after, self.status, self.waited) = (after, status, waited)
        }
    }

    /// The error of an operation that did not succeed.
    public struct Failure: Sendable, Hashable, Codable {
        /// The error code.
        public var code: NetworkingError.Code
        /// One sentence that describes the error to people.
        public var message: String
        /// The code and the text of the error in the underlying library, for a bug report.
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
