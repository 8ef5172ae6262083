// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The parsed lines of one piece of a file. One thread parses a piece.
struct BatchFilePiece: Sendable {
    /// One line.
    struct Line: Sendable {
        let number: Int
        let offset: Int
        let byteCount: Int
        let checksum: UInt32
        let id: String?
        /// The number of the line's origin in `lanes`.
        let lane: Int
        let priority: RequestLine.Priority
        /// The ids that the line depends on, each once.
        var dependencies: [String] = []
        /// The parts of each dependency that the line uses.
        var uses: [ReferenceUses] = []
        /// The extracted values that the line refers to.
        var values: [ReferredValue] = []
        /// The parts to which other lines can refer; nil for a plain line.
        var referable: ReferableParts?
        /// Whether the line has an `output`.
        let hasOutput: Bool
        /// Whether the responses of the line are streams of items.
        let hasItems: Bool
        /// The facts about pages and elements that the schedule needs; nil for a line with neither.
        var parts: LineParts?
        /// The line's outputs, as far as they are known before it runs.
        var output: OutputPaths.Output?
        /// The error of the line's references or outputs.
        var error: RequestLineError?
    }

    private(set) var lines: [Line] = []
    /// The values that the lines take from their responses.
    private(set) var uses = LineUses()
    /// The names of the origins. The index of a name is its lane number.
    private(set) var lanes: [String] = []
    private var laneNumbers: [ByteString: Int] = [:]
    /// The errors of lines that cannot be parsed.
    private(set) var errors: [RequestLineError] = []
    /// The start of the previous URL, and its origin: consecutive URLs mostly have the same one.
    private var latest: (prefix: String, lane: Int)?

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - offset: the offset of the line in the file.
    ///   - outputs: resolves the line's paths to file names.
    ///   - rules: the fields that the options of the run permit.
    mutating func add(
        _ text: ArraySlice<UInt8>, number: Int, offset: Int, outputs: OutputPaths, rules: LineRules
    ) {
        do throws(RequestLineError) {
            guard let parsed = try RequestLineParser().parse(text, number: number)?.line else { return }
            var line = Line(
                number: number, offset: offset, byteCount: text.count, checksum: BatchFile.checksum(text),
                id: parsed.id, lane: lane(of: parsed.url), priority: parsed.priority,
                hasOutput: parsed.output != nil, hasItems: parsed.hasItems)
            do throws(RequestLineError) {
                try rules.check(parsed)
                line.output = try outputs.namedOutput(of: NumberedLine(number: number, line: parsed))
                let references = try parsed.placedReferences().map(\.reference)
                if parsed.boxedPipeline != nil || parsed.output != nil { line.referable = ReferableParts(parsed) }
                line.parts = LineParts(parsed)
                line.set(references, after: parsed.after, elementSource: parsed.elementSource)
            } catch {
                line.error = error
            }
            lines.append(line)
            if let pipeline = parsed.boxedPipeline?.value { uses.add(pipeline, of: number) }
        } catch {
            errors.append(error.numbered(number))
        }
    }

    private mutating func lane(of url: String) -> Int {
        if let latest, url.utf8.starts(with: latest.prefix.utf8) { return latest.lane }
        let name = RequestLine.lane(of: url)
        let lane = laneNumbers[ByteString(name)] ?? lanes.count
        if lane == lanes.count {
            lanes.append(name)
            laneNumbers[ByteString(name)] = lane
        }
        let end = url.utf8.index(url.startIndex, offsetBy: name.utf8.count)
        if !name.isEmpty, end < url.utf8.endIndex { latest = (String(url[...end]), lane) }
        return lane
    }
}

extension BatchFilePiece.Line {
    /// Sets the dependencies, and what the line uses of each.
    fileprivate mutating func set(
        _ references: [ReferenceTemplate.Reference], after: [String], elementSource: String?
    ) {
        guard !references.isEmpty || !after.isEmpty || elementSource != nil else { return }
        let named = elementSource.map { after + [$0] } ?? after
        let ids = (named + references.map(\.id)).uniqueTexts
        dependencies = ids
        uses = ids.map { id in
            var uses: ReferenceUses = []
            if let elementSource, FieldSyntax.isSameText(elementSource, id) { uses.insert(.elements) }
            for reference in references where FieldSyntax.isSameText(reference.id, id) {
                uses.formUnion(ReferenceUses(reference.selector))
            }
            return uses
        }
        values = references.compactMap { ReferredValue($0) }
    }
}
