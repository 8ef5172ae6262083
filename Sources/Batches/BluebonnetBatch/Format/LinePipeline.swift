// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import BluebonnetPipelines

extension RequestLine {
    /// The steps of a line beyond one request: pages, elements, values, assertions and polling.
    public struct Pipeline: Sendable, Hashable {
        /// Requests page after page.
        public var paginate: Pagination?
        /// Makes one operation for each element of another line's response, or for each row of a file.
        public var each: FanOut?
        /// Values of the response, by name. With `rows`, values of each row.
        public var extract: [String: Extraction] = [:]
        /// The rows of the response: the values at the path are extracted one by one.
        public var rows: JSONPath?
        /// The statements that must hold for the response. The first that does not hold is the failure
        /// `assertionFailed`.
        public var assertions: [Assertion] = []
        /// Sends the request again until its assertions hold.
        public var until: Condition?
        /// Reads the response while it arrives, item by item.
        public var stream: StreamForm?
        /// The number of items after which a stream is ended; nil means no limit.
        public var maxItems: Int?
        /// Members of the state file that the response sets, by name.
        public var remember: [String: Memory] = [:]

        /// Makes a pipeline without steps.
        public init() {}

        /// Whether a line has one result of one request, as far as polling and streams are concerned.
        var isOneResponse: Bool { until == nil && stream == nil }

        /// Whether the response of each request is searched or checked.
        var readsResponse: Bool {
            paginate != nil || until != nil || stream != nil || rows != nil
                || !(extract.isEmpty && assertions.isEmpty && remember.isEmpty)
        }

        /// Whether there is nothing to do.
        public var isEmpty: Bool { self == Pipeline() }
    }

    /// The items of a response that is read while it arrives.
    public enum StreamForm: String, Sendable, Hashable, CaseIterable {
        /// Server-sent events (HTML standard, 9.2).
        case events
        /// Lines of text.
        case lines
    }

    /// How a line requests page after page.
    public typealias Pagination = BluebonnetPipelines.Pagination

    /// The elements for which a line makes operations.
    public struct FanOut: Sendable, Hashable {
        /// The source of the elements.
        public enum Source: Sendable, Hashable {
            /// The responses of the line with this id, page by page and element by element.
            case line(String)
            /// A file: CSV with a header row (`.csv`), or JSON lines (`.ndjson`, `.jsonl`).
            case file(String)
        }

        /// The part of an element that identifies it.
        public enum Key: Sendable, Hashable {
            /// The value at a path.
            case path(JSONPath)
            /// A column of a CSV file, or a member of each object of JSON lines.
            case name(String)
        }

        public var source: Source
        /// The elements of a response; nil means the items of the line that has it, or `$[*]`.
        public var items: JSONPath?
        /// The name by which the line refers to the element: `user` for `${user.name}`.
        public var name: String
        /// The part of the element that is the end of the operation's id; nil means the element's number, from 1.
        public var key: Key?
        /// The maximum number of elements; nil means no limit. More elements are the failure `tooManyElements`.
        public var max: Int?

        /// Makes a fan-out.
        public init(_ source: Source, as name: String) { (self.source, self.name) = (source, name) }
    }

    /// A value that is taken from a response.
    public enum Extraction: Sendable, Hashable {
        /// The value at a path of the body: an array if there are several values, null if there is none.
        case path(JSONPath)
        /// A header field; null if the response does not have the field.
        case header(String)
        case status
        /// Seconds from the start of the operation to the end of the response.
        case duration
        /// The first group of a regular expression, or its whole match; null if the body's text does not match.
        case text(TextPattern)
    }

    /// The condition of a polling line.
    public struct Condition: Sendable, Hashable {
        /// The statements that end the polling when all of them hold.
        public var assertions: [Assertion]
        /// The seconds between the end of a response and the next request.
        public var every: Double
        /// The seconds after which an unmet condition is the failure `conditionNotMet`; nil means no limit.
        public var timeout: Double?
        /// The number of requests after which an unmet condition is the failure `conditionNotMet`; nil means no limit.
        public var max: Int?

        /// Makes a condition.
        public init(_ assertions: [Assertion], every: Double, timeout: Double? = nil, max: Int? = nil) {
            (self.assertions, self.every, self.timeout, self.max) = (assertions, every, timeout, max)
        }
    }

    /// A value of a response that sets a member of the state file.
    public struct Memory: Sendable, Hashable {
        /// Which value is chosen from all values of the run.
        public enum Choice: String, Sendable, Hashable, CaseIterable {
            /// The largest number, or the last text in the order of its characters.
            case max
            case min
            /// The value that came last.
            case last
        }

        public var choice: Choice
        public var path: JSONPath

        /// Makes a memory.
        public init(_ choice: Choice, _ path: JSONPath) { (self.choice, self.path) = (choice, path) }
    }
}

extension RequestLine {
    /// Whether the line has pages or elements, each of which is an operation.
    package var hasParts: Bool { pipeline.map { $0.paginate != nil || $0.each != nil } ?? false }

    /// Whether the response of each request is a stream of items, each of which has a result.
    package var hasItems: Bool { boxedPipeline?.value.stream != nil }
}
