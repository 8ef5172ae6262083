// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// Collects the facts about the pipelines of a batch that the store needs, while its lines are stored.
struct SubmittedPipelines {
    private struct Parent {
        let position: Int
        let kind: FleetLine.Kind
        let hasBegun: Bool
    }

    private struct Reader {
        let source: Int
        let reader: Int
        let isEarly: Bool
    }

    private var parents: [Parent] = []
    private var readers: [Reader] = []
    /// The positions of sources whose responses are used as elements only after the sources have ended.
    private var readLate: Set<Int> = []
    /// The positions of lines with pages that other lines name.
    private var readByPage: Set<Int> = []
    /// The files with the elements of lines, in the order of the lines.
    private(set) var files: [String] = []
    private var fileParents: [Int] = []
    private var hasPolls = false

    /// Whether lines have pages or elements, or send requests until a condition is met.
    var hasAny: Bool { hasPolls || !parents.isEmpty }

    /// Whether the responses of a line are used as elements only after the line has ended.
    func isReadLate(_ position: Int) -> Bool { readLate.contains(position) }

    /// Adds the line at a position.
    mutating func add(
        _ line: FleetLine, _ node: RequestLineGraph.Node, at position: Int, of lines: SubmittedLines
    ) throws(FleetError) {
        if node.line.line.pipeline?.until != nil { hasPolls = true }
        for id in node.dependencies where id.contains("/") {
            if let page = lines.source.position(of: id), lines.source.id(at: page) != id { readByPage.insert(page) }
        }
        var hasBegun = false
        if let id = node.line.line.elementSource, let source = lines.source.position(of: id) {
            // The line needs nothing but the elements, and uses them as they come.
            hasBegun = lines.source.startsEarly(position) && line.needs == [source]
        }
        if let kind = line.partKind { parents.append(Parent(position: position, kind: kind, hasBegun: hasBegun)) }
        if let file = node.line.line.elementFile {
            files.append(file)
            fileParents.append(position)
        }
        for reader in lines.source.readers(of: position) {
            let needs = lines.needs(of: try lines.node(at: reader))
            let isEarly = lines.source.startsEarly(reader) && needs == [position]
            readers.append(Reader(source: position, reader: reader, isEarly: isEarly))
            if !isEarly { readLate.insert(position) }
        }
    }

    /// Stores what was collected, and the elements of files.
    ///
    /// - Parameter count: the number of lines.
    func insert(_ batch: Int, _ count: Int, _ connection: PostgreSQLConnection) throws(FleetError) {
        guard !parents.isEmpty else { return }
        try connection.query(
            """
            INSERT INTO bluebonnet.parents (batch, position, state, kind, is_read)
            SELECT $1, u.position, u.state, u.kind, u.is_read > 0
            FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS u (position, state, kind, is_read)
            """,
            [
                .integer(batch), .integers(parents.map(\.position)),
                .lines(parents.map { ParentState(hasBegun: $0.hasBegun).encoded() }),
                .integers(parents.map(\.kind.rawValue)),
                .integers(parents.map { isReadLate($0.position) || readByPage.contains($0.position) ? 1 : 0 }),
            ])
        try connection.query(
            """
            INSERT INTO bluebonnet.readers (batch, source, reader, is_early)
            SELECT $1, u.source, u.reader, u.is_early > 0
            FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS u (source, reader, is_early)
            """,
            [
                .integer(batch), .integers(readers.map(\.source)), .integers(readers.map(\.reader)),
                .integers(readers.map { $0.isEarly ? 1 : 0 }),
            ])
        let next = try insertElements(batch, count, connection)
        try connection.query(
            "INSERT INTO bluebonnet.expansions (batch, next_position) VALUES ($1, $2)",
            [.integer(batch), .integer(next)])
    }

    /// Stores the elements of files. They become lines of the batch when their line begins.
    ///
    /// - Returns: the position after the last one.
    private func insertElements(
        _ batch: Int, _ count: Int, _ connection: PostgreSQLConnection
    ) throws(FleetError) -> Int {
        let writing = ResultWriting(connection: connection, worker: BatchControl.noWorker)
        var rows = PartRows(writing, batch, nextPosition: count)
        for (file, position) in zip(files, fileParents) {
            let parents = try writing.parents(batch, at: [position])
            guard let parent = parents.first, let rule = parent.each else { continue }
            var slices = ElementSlices(parent, rule, isPlacing: false, isCancelled: false)
            do throws(ElementReader.Failure) {
                try ElementReader.read(file: file) { slices.add($0, to: &rows) }
            } catch {
                throw FleetError(.notPossible, error.message)
            }
            if slices.error == nil { _ = slices.flush(to: &rows) }
            if let error = slices.error { throw error }
            var state = parent.state
            state.elements = slices.sequence.course
            try connection.query(
                "UPDATE bluebonnet.parents SET state = ($3::text[])[1] WHERE batch = $1 AND position = $2",
                [.integer(batch), .integer(position), .lines([connection.storable(state.encoded())])])
        }
        return rows.nextPosition
    }
}

extension SubmittedLines {
    /// The positions of the lines that a line needs, each once.
    func needs(of node: RequestLineGraph.Node) -> [Int] {
        var seen: Set<Int> = []
        return node.dependencies.compactMap { source.position(of: $0) }.filter { seen.insert($0).inserted }
    }
}
