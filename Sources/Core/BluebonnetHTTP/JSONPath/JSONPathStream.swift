// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Evaluates a path on JSON text. It makes only the selected values and the values that filters test; the rest of the
/// text is skipped. Each segment is applied when its value is reached, so the first values are delivered early.
struct JSONPathStream {
    /// The number of bytes that count as one step when they are read again.
    private static let bytesPerStep = 16

    /// Receives the range of a value, and the value if the stream makes values. Returns false to stop.
    typealias Delivery = (Range<Int>, JSONValue?) throws -> Bool

    /// The closure returned false.
    private struct Stop: Error {}

    var text: JSONPathText
    let segments: [JSONPathSegment]
    /// For each segment, the UTF-8 of its name, if it has only a name.
    let names: [[UInt8]]
    /// For each segment, and for the end, whether it and the following segments select at most one value.
    private let selectsOne: [Bool]
    private let makesValues: Bool
    private var evaluator: JSONPathEvaluator
    private(set) var deliveredCount = 0

    init(_ path: JSONPath, _ text: UnsafeRawBufferPointer, makesValues: Bool, stepLimit: Int) {
        self.text = JSONPathText(text)
        segments = path.segments
        names = segments.map { segment in
            if case .name(let name) = segment.selectors[0] { Array(name.string.utf8) } else { [] }
        }
        let singularFrom = (segments.lastIndex { !$0.isSingular } ?? -1) + 1
        selectsOne = (0...segments.count).map { $0 >= singularFrom }
        self.makesValues = makesValues
        // Each segment may read the text again without a cost, but not more segments than the text has levels.
        let readingCount = min(segments.count, JSONParser.maximumDepth) + 1
        evaluator = JSONPathEvaluator(
            root: nil, stepLimit: min(stepLimit, .max / 2) + text.count / Self.bytesPerStep * readingCount)
    }

    /// Delivers the selected values.
    mutating func run(_ deliver: Delivery) throws {
        do {
            try visit(0, depth: 0, deliver)
            text.skipSpace()
            guard text.position == text.bytes.count else { throw JSONPathText.Invalid() }
        } catch is Stop {
            return
        } catch is JSONPathText.Invalid {
            try JSONParser.check(text.bytes)
            throw JSONSyntaxError(reason: "unexpected character", offset: text.position)
        }
    }

    /// Applies the segments from an index on to the next value, and skips it.
    mutating func visit(_ index: Int, depth: Int, _ deliver: Delivery) throws {
        text.skipSpace()
        if index == segments.count { return try deliverNext(depth: depth, deliver) }
        if selectsOne[index] {
            if let place = try findOne(index, depth: depth) { try self.deliver(at: place, depth: depth, deliver) }
            return
        }
        let segment = segments[index]
        if segment.isDescendant { return try visitTree(index, depth: depth, deliver) }
        switch text.byte {
        case UInt8(ascii: "["): try visitArray(segment, index, depth: depth, deliver)
        case UInt8(ascii: "{"): try visitObject(segment, index, depth: depth, deliver)
        default: try text.skipValue(depth: depth)
        }
    }

    /// Makes the next value, and applies the segments from an index on to it.
    private mutating func visitTree(_ index: Int, depth: Int, _ deliver: Delivery) throws {
        let value = try makeValue(depth: depth)
        for selected in try evaluator.select(segments[index...], from: value) {
            deliveredCount += 1
            guard try deliver(0..<0, selected) else { throw Stop() }
        }
    }
}

// MARK: - Values

extension JSONPathStream {
    /// Makes the next value, and moves to its end.
    mutating func makeValue(depth: Int) throws(JSONPathText.Invalid) -> JSONValue {
        do {
            return try JSONParser.value(at: &text.position, in: text.bytes, depth: depth)
        } catch {
            throw JSONPathText.Invalid()
        }
    }

    private mutating func deliverNext(depth: Int, _ deliver: Delivery) throws {
        let start = text.position
        var value: JSONValue?
        if makesValues { value = try makeValue(depth: depth) } else { try text.skipValue(depth: depth) }
        try self.deliver(start..<text.position, value, deliver)
    }

    private mutating func deliver(_ range: Range<Int>, _ value: JSONValue?, _ deliver: Delivery) throws {
        deliveredCount += 1
        guard try deliver(range, value) else { throw Stop() }
    }

    /// Delivers a value that was skipped.
    private mutating func deliver(at place: Int, depth: Int, _ deliver: Delivery) throws {
        let end = text.position
        text.position = place
        try deliverNext(depth: depth, deliver)
        text.position = end
    }

    /// Accounts for text that is read again.
    mutating func spend(_ range: Range<Int>) throws(JSONPathLimitError) {
        try evaluator.budget.spend(1 + range.count / Self.bytesPerStep)
    }

    /// Applies the segments from an index on to a value that was skipped.
    mutating func visit(_ range: Range<Int>, _ index: Int, depth: Int, _ deliver: Delivery) throws {
        try spend(range)
        let end = text.position
        text.position = range.lowerBound
        try visit(index, depth: depth, deliver)
        text.position = end
    }

    /// Applies a filter to the next value, and the segments from an index on if the filter accepts the value.
    mutating func visitIfTrue(
        _ condition: JSONPathCondition, _ index: Int, depth: Int, _ deliver: Delivery
    ) throws {
        text.skipSpace()
        let start = text.position
        let value = try makeValue(depth: depth)
        guard try evaluator.evaluate(condition, for: value) else { return }
        let range = start..<text.position
        if index == segments.count {
            try self.deliver(range, value, deliver)
        } else {
            try visit(range, index, depth: depth, deliver)
        }
    }
}

// MARK: - Interface

extension JSONPath {
    /// Evaluates the path on JSON text in UTF-8, and delivers each selected value as soon as it is found. Values that
    /// are not selected are checked, but not made.
    ///
    /// The values and their order equal the result of `values(in:stepLimit:)` on the parsed text. These parts of a path
    /// are evaluated early, while the text is read: names, indices, `*` on arrays, forward slices and filters on
    /// arrays. For other selectors, the values that they apply to are read to their ends first. From a descendant
    /// segment on, and for a path whose filters contain `$`, these values are also made.
    ///
    /// If a name is repeated in an object, the later member counts. Where the rest of the path selects at most one
    /// value, the stream waits for the end of the object. Elsewhere, values of the earlier member are delivered before
    /// the later member is found; then the stream throws.
    ///
    /// - Parameters:
    ///   - text: the text, with or without a byte order mark.
    ///   - stepLimit: the work that is allowed in addition to reading the text once for each segment: see
    ///     `values(in:stepLimit:)`. Default 50 million.
    ///   - body: receives a value. Returns false to stop; then the rest of the text is not checked.
    /// - Throws: `JSONSyntaxError` of the text, as `JSONParser` reports it; `JSONPathRepeatedMember`;
    ///   `JSONPathLimitError`; errors of the closure.
    package func forEachValue(
        inText text: UnsafeRawBufferPointer, stepLimit: Int = defaultStepLimit, _ body: (JSONValue) throws -> Bool
    ) throws {
        if segments.contains(where: \.usesRoot) {
            for value in try values(in: JSONParser.value(of: text), stepLimit: stepLimit) {
                guard try body(value) else { return }
            }
        } else {
            var stream = JSONPathStream(self, text, makesValues: true, stepLimit: stepLimit)
            try stream.run { _, value in try value.map(body) ?? true }
        }
    }

    /// Whether `forEachRange` supports the path: it has no descendant segment, and no filter contains `$`.
    package var hasRanges: Bool { !segments.contains { $0.isDescendant || $0.usesRoot } }

    /// Delivers the range of each selected value in the text, without the white space around it, and makes no values
    /// except those that filters test. Otherwise it equals `forEachValue`. `hasRanges` must be true.
    package func forEachRange(
        inText text: UnsafeRawBufferPointer, stepLimit: Int = defaultStepLimit, _ body: (Range<Int>) throws -> Bool
    ) throws {
        precondition(hasRanges, "a path with a descendant segment or with $ in a filter has no ranges: check hasRanges")
        var stream = JSONPathStream(self, text, makesValues: false, stepLimit: stepLimit)
        try stream.run { range, _ in try body(range) }
    }

    /// Returns the selected values of JSON text in UTF-8, which equal the result of `values(in:stepLimit:)` on the
    /// parsed text, also if names are repeated.
    package func values(
        inText text: UnsafeRawBufferPointer, stepLimit: Int = defaultStepLimit
    ) throws -> [JSONValue] {
        var values: [JSONValue] = []
        do {
            try forEachValue(inText: text, stepLimit: stepLimit) { value in
                values.append(value)
                return true
            }
            return values
        } catch is JSONPathRepeatedMember {
            return try self.values(in: JSONParser.value(of: text), stepLimit: stepLimit)
        }
    }
}
