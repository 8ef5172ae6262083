// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

extension RequestLine {
    /// One statement about a response: a subject, and what must hold for it.
    public struct Assertion: Sendable, Hashable {
        /// The part of the response.
        public enum Subject: Sendable, Hashable {
            /// The value at a path of the body: an array if there are several values.
            case path(JSONPath)
            /// A header field; repeated fields are joined by ", ".
            case header(String)
            case status
            /// Seconds from the start of the operation to the end of the response.
            case duration
            /// The size of the decoded body.
            case bytes
            /// The body as text.
            case text
        }

        /// The statement about the subject.
        public enum Predicate: Sendable, Hashable {
            case equals(JSONValue)
            /// The value is another one, or there is none.
            case notEquals(JSONValue)
            case compares(Comparison, JSONValue)
            /// The text contains a match of the regular expression.
            case matches(TextPattern)
            /// The text contains a text, the array an element, or the object a member of this name.
            case contains(JSONValue)
            /// Whether there is a value.
            case exists(Bool)
            case isType(ValueType)
            /// The number of values at the path, or of header fields.
            case count(Int)
        }

        /// A comparison of the exact values of two numbers, or of two texts by the order of their Unicode scalars.
        public enum Comparison: String, Sendable, Hashable, CaseIterable {
            case lessThan, atMost, greaterThan, atLeast
        }

        /// A type of JSON.
        public enum ValueType: String, Sendable, Hashable, CaseIterable {
            case string, number, integer, boolean, array, object, null
        }

        public var subject: Subject
        public var predicate: Predicate

        /// Makes an assertion.
        public init(_ subject: Subject, _ predicate: Predicate) {
            (self.subject, self.predicate) = (subject, predicate)
        }
    }
}
