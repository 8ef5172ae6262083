// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A path that selects values in a JSON document (RFC 9535), such as `$.store.book[?@.price < 10].title`.
///
/// ```swift
/// let path = try JSONPath("$.data[*].id")
/// let ids = try path.values(in: document)
/// ```
///
/// The members of an object have no order in `JSONObject`. A path that selects several of them returns them sorted by
/// the bytes of their names.
///
/// The patterns of `match()` and `search()` are I-Regexps (RFC 9485). `^` at the start and `$` at the end of a pattern
/// are anchors; elsewhere, they are ordinary characters. A string that is not an I-Regexp matches nothing.
public struct JSONPath: Sendable {
    /// The default limit of steps: see `values(in:stepLimit:)`.
    public static let defaultStepLimit = 50_000_000

    /// A value that a path selected, and its place in the document.
    public struct Node: Sendable, Hashable {
        /// The normalized path of the value (RFC 9535, 2.7), such as `$['data'][0]['id']`. It selects only this value.
        public let path: String
        /// The value.
        public let value: JSONValue
    }

    /// The path as given.
    public let description: String
    let segments: [JSONPathSegment]

    /// Parses a path.
    ///
    /// - Throws: `JSONPathError`, with the first position at which the text is not a path.
    public init(_ text: String) throws(JSONPathError) {
        description = text
        segments = try JSONPathParser.segments(of: text)
    }

    /// Whether the path selects at most one value in any document: it has only names and indices, one in each segment.
    public var isSingular: Bool { segments.allSatisfy(\.isSingular) }
}

// MARK: - Evaluation

extension JSONPath {
    /// Returns the selected values, in the order of RFC 9535. A value that is selected twice is in the result twice.
    ///
    /// - Parameters:
    ///   - root: the document.
    ///   - stepLimit: the work that is allowed, so that no path can block its thread: about one step for a visited
    ///     value, for a comparison, and for each 64 bytes of a compared string. Default 50 million, which takes
    ///     seconds.
    /// - Throws: `JSONPathLimitError` if the path needs more steps.
    public func values(
        in root: JSONValue, stepLimit: Int = defaultStepLimit
    ) throws(JSONPathLimitError) -> [JSONValue] {
        var evaluator = JSONPathEvaluator(root: root, stepLimit: stepLimit)
        return try evaluator.select(segments[...], from: root)
    }

    /// Returns the selected values with their normalized paths, in the order of `values(in:stepLimit:)`.
    ///
    /// - Parameters:
    ///   - root: the document.
    ///   - stepLimit: see `values(in:stepLimit:)`. Default 50 million.
    /// - Throws: `JSONPathLimitError` if the path needs more steps.
    public func nodes(in root: JSONValue, stepLimit: Int = defaultStepLimit) throws(JSONPathLimitError) -> [Node] {
        var evaluator = JSONPathEvaluator(root: root, stepLimit: stepLimit)
        var nodes: [Node] = []
        for node in try evaluator.select(segments[...], from: JSONPathPlacedValue(root: root)) {
            let path = node.place.normalizedPath
            try evaluator.budget.spend(byteCount: path.utf8.count)
            nodes.append(Node(path: path, value: node.value))
        }
        return nodes
    }
}

extension JSONValue {
    /// Returns the values that a path selects: see `JSONPath.values(in:stepLimit:)`.
    ///
    /// - Throws: `JSONPathLimitError` if the path needs more than 50 million steps.
    public func values(at path: JSONPath) throws(JSONPathLimitError) -> [JSONValue] { try path.values(in: self) }
}

// MARK: - Equality and text

extension JSONPath: Hashable, CustomStringConvertible {
    /// Paths are equal if their texts have the same bytes.
    public static func == (first: JSONPath, second: JSONPath) -> Bool {
        FieldSyntax.isSameText(first.description, second.description)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ByteString(description)) }
}
