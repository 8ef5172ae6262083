// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The facts about a line with pages or elements that the check of a batch and its schedule need.
struct LineParts: Sendable {
    /// Whether the line has pages.
    let isPaged: Bool
    /// The name of the element in references, which must not be the id of a line.
    let elementName: String?
    /// The id of the line whose responses have the elements.
    let elementSource: String?
    /// Whether the line may start before the end of that line: it needs nothing of it but the elements.
    let startsEarly: Bool

    /// Returns nil for a line with neither pages nor elements.
    init?(_ line: RequestLine) {
        guard let pipeline = line.boxedPipeline?.value, pipeline.paginate != nil || pipeline.each != nil else {
            return nil
        }
        (isPaged, elementName) = (pipeline.paginate != nil && pipeline.each == nil, pipeline.each?.name)
        elementSource = line.elementSource
        let others = line.after + ((try? line.referencedIDs()) ?? [])
        startsEarly = !others.contains { $0 == line.elementSource || PageID.line(of: $0) == line.elementSource }
    }
}

/// Finds the lines that use the responses of another line as elements, by position.
struct ElementReaders: Sendable {
    private var readers: [Int: [Int]] = [:]
    private var early: Set<Int> = []

    var isEmpty: Bool { readers.isEmpty }

    mutating func add(_ reader: Int, of source: Int, startsEarly: Bool) {
        readers[source, default: []].append(reader)
        if startsEarly { early.insert(reader) }
    }

    /// The lines that use the responses of the line at a position.
    func readers(of source: Int) -> [Int] { readers[source] ?? [] }

    /// Whether a line may start before the end of its source.
    func startsEarly(_ reader: Int) -> Bool { early.contains(reader) }
}

extension RequestLine {
    /// The id of the line whose responses have the line's elements; nil without such a line.
    package var elementSource: String? {
        guard case .line(let id)? = boxedPipeline?.value.each?.source else { return nil }
        return id
    }
}
