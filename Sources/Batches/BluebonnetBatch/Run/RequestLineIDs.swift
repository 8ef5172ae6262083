// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The ids that lines of a batch can mention.
struct RequestLineIDs {
    private var ids: [ByteString: NumberedLine] = [:]

    init(_ lines: [NumberedLine]) {
        for line in lines { ids[ByteString(line.id)] = line }
    }

    /// Whether a line has the id, or can have a page of this id.
    func contains(_ id: String) -> Bool {
        if ids[ByteString(id)] != nil { return true }
        guard let line = PageID.line(of: id).flatMap({ ids[ByteString($0)] }) else { return false }
        return line.line.boxedPipeline?.value.paginate != nil
    }

    /// The errors of names of elements that are ids, and of ids that a page or an element could get.
    func parentErrors(_ lines: [NumberedLine]) -> [RequestLineError] {
        lines.compactMap { line in
            if let name = line.line.elementName, let other = ids[ByteString(name)] {
                return RequestLineError.elementName(name, of: other.number).numbered(line.number)
            }
            let owner = PageID.possibleLines(of: line.id).lazy.compactMap { ids[ByteString($0)] }
                .first { LineParts($0.line) != nil }
            return owner.map { RequestLineError.ambiguous(line.id, of: $0.number).numbered(line.number) }
        }
    }
}

extension [Int] {
    /// The numbers, each once, as first mentioned.
    var unique: [Int] {
        guard count > 1 else { return self }
        var seen: Set<Int> = []
        return filter { seen.insert($0).inserted }
    }
}
