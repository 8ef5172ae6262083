// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetJournal
internal import Foundation

/// Puts a batch into the store: all of it, or nothing.
struct Submission {
    /// A batch of a million lines is larger than what a statement may take otherwise.
    private static let timeout = Duration.seconds(600)
    /// The bytes of rows that are sent at once.
    private static let pieceByteCount = 1 << 18

    let name: String
    let settings: FleetSettings
    /// The lines, dependencies first.
    let nodes: [RequestLineGraph.Node]
    let digest: String

    init(name: String, settings: FleetSettings, nodes: [RequestLineGraph.Node]) {
        (self.name, self.settings, self.nodes) = (name, settings, nodes)
        digest = BatchDigest.ofLines(nodes.map(\.line.line), settings.digestSettings)
    }

    /// Puts the batch into the store.
    ///
    /// - Returns: false when the store has it already, from a call whose answer was lost perhaps.
    /// - Throws: `nameTaken` when another batch has the name.
    func submit(_ connection: PostgreSQLConnection) throws(FleetError) -> Bool {
        if let node = nodes.first(where: { $0.line.id.utf8.contains(0) }) {
            throw FleetError(.notPossible, "line \(node.line.number) has an id with a NUL in it, which no store keeps")
        }
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        return try connection.transaction { () throws(FleetError) in
            guard let number = try insertBatch(connection) else { return try isKnown(connection) }
            try insertLines(number, connection)
            try FleetNotice.work.send(connection)
            return true
        }
    }

    /// The number of the new batch; nil when the name is taken.
    private func insertBatch(_ connection: PostgreSQLConnection) throws(FleetError) -> Int? {
        let batch = JournalBatch(digest: digest, lineCount: nodes.count)
        let inserted = try connection.query(
            """
            INSERT INTO bluebonnet.batches (name, digest, settings, priority, line_count, has_edges, key_seed)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING RETURNING number
            """,
            [
                .text(name), .text(digest), .text(settings.encoded()), .integer(settings.priority),
                .integer(nodes.count), .bool(nodes.contains { !$0.dependencies.isEmpty }), .text(batch.keySeed),
            ])
        return inserted.count == 1 ? inserted.integer(0, 0) : nil
    }

    /// The name is taken: by this batch, or by another one?
    private func isKnown(_ connection: PostgreSQLConnection) throws(FleetError) -> Bool {
        let found = try connection.query("SELECT digest FROM bluebonnet.batches WHERE name = $1", [.text(name)])
        guard found.count == 1, found.text(0, 0) == digest else {
            throw FleetError(
                .nameTaken, "the store has another batch with the name \(name): give this one another name")
        }
        return false
    }

    private func insertLines(_ batch: Int, _ connection: PostgreSQLConnection) throws(FleetError) {
        var rows = LineRows(batch: batch, nodes: nodes, settings: settings)
        try connection.copy(
            """
            COPY bluebonnet.lines (batch, position, id, lane, rank, kind, is_read, line, needs)
            FROM STDIN (FORMAT binary)
            """
        ) { () throws(FleetError) in rows.next(byteCount: Self.pieceByteCount) }
        try insertLanes(batch, rows, connection)
        try connection.query(
            """
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT batch, lane, rank, position FROM bluebonnet.lines WHERE batch = $1 AND needs IS NULL
            ORDER BY lane, rank, position
            """, [.integer(batch)])
        guard rows.hasEdges else { return }
        try connection.query(
            """
            INSERT INTO bluebonnet.blocked (batch, position, missing)
            SELECT batch, position, cardinality(needs) FROM bluebonnet.lines WHERE batch = $1 AND needs IS NOT NULL
            """, [.integer(batch)])
        try connection.query(
            """
            INSERT INTO bluebonnet.edges (batch, dependency, dependent)
            SELECT batch, unnest(needs), position FROM bluebonnet.lines WHERE batch = $1 AND needs IS NOT NULL
            """, [.integer(batch)])
    }

    private func insertLanes(
        _ batch: Int, _ rows: LineRows, _ connection: PostgreSQLConnection
    ) throws(FleetError) {
        let lanes = rows.lanes.sorted { $0.value < $1.value }
        try connection.query(
            """
            INSERT INTO bluebonnet.lanes (batch, lane, origin, line_count)
            SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[])
            """,
            [
                .integer(batch), .integers(lanes.map(\.value)), .texts(lanes.map(\.key)),
                .integers(lanes.map { rows.lineCounts[$0.value] }),
            ])
    }
}

/// The rows of a batch's lines, a piece at a time.
private struct LineRows {
    private let batch: Int
    private let nodes: [RequestLineGraph.Node]
    private let settings: FleetSettings
    private var positions: [String: Int] = [:]
    /// The ids that references read.
    private let readIDs: Set<String>
    private var index = 0
    private var isEnded = false
    /// The numbers of the lanes, by the origins as lines have them.
    private var numbers: [String: Int] = [:]
    /// The numbers of the lanes.
    private(set) var lanes: [String: Int] = [:]
    /// The lines of each lane.
    private(set) var lineCounts: [Int] = []
    let hasEdges: Bool

    init(batch: Int, nodes: [RequestLineGraph.Node], settings: FleetSettings) {
        (self.batch, self.nodes, self.settings) = (batch, nodes, settings)
        hasEdges = nodes.contains { !$0.dependencies.isEmpty }
        if hasEdges {
            positions.reserveCapacity(nodes.count)
            for (position, node) in nodes.enumerated() { positions[node.line.id] = position }
        }
        readIDs = hasEdges ? Set(nodes.flatMap { (try? $0.line.line.referencedIDs()) ?? [] }) : []
    }

    mutating func next(byteCount: Int) -> [UInt8]? {
        guard !isEnded else { return nil }
        var rows = CopyRows(isFirst: index == 0)
        while index < nodes.count, rows.bytes.count < byteCount {
            let node = nodes[index]
            write(FleetLine(node, needs: node.dependencies.compactMap { positions[$0] }, settings: settings), to: &rows)
            index += 1
        }
        if index == nodes.count {
            rows.end()
            isEnded = true
        }
        return rows.bytes
    }

    private mutating func write(_ line: FleetLine, to rows: inout CopyRows) {
        rows.begin(columns: 9)
        rows.big(batch)
        rows.integer(index)
        rows.text(line.id)
        rows.integer(number(of: line.lane))
        rows.small(line.rank)
        rows.small(line.kind.rawValue)
        rows.bool(readIDs.contains(line.id))
        rows.text(line.text)
        rows.integers(line.needs)
    }

    /// The number of the lane of lines with an origin, as it is written.
    private mutating func number(of written: String) -> Int {
        let number = numbers[written] ?? newNumber(of: written)
        lineCounts[number] += 1
        return number
    }

    /// An origin may be written in several ways: it is one lane.
    private mutating func newNumber(of written: String) -> Int {
        let url = written.isEmpty ? settings.baseURL : URL(string: written)
        let origin = url.flatMap { Origin($0) }.map { "\($0)" } ?? ""
        let number = lanes[origin] ?? lanes.count
        if number == lineCounts.count {
            lanes[origin] = number
            lineCounts.append(0)
        }
        numbers[written] = number
        return number
    }
}
