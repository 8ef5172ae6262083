// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetJournal
internal import Foundation

/// Stores a batch, completely or not at all. Lines are read and sent one after the other.
struct Submission {
    /// Storing a batch of a million lines takes longer than the usual time limit of a statement.
    private static let timeout = Duration.seconds(600)
    /// The bytes of rows that are sent at once.
    private static let pieceByteCount = 1 << 18

    /// The most bytes of a batch's name: PostgreSQL's index of the names has a limit of 2,704 bytes for each.
    private static let longestName = 1_000

    let name: String
    let settings: FleetSettings
    let lines: SubmittedLines
    /// The key of which the store has one batch at most; nil for a batch without one.
    var uniqueKey: String?

    /// The result of a submission.
    enum Answer: Equatable {
        /// The store has the batch, whose number this is.
        case stored(Int)
        /// The store already had the batch, perhaps from a call whose answer was lost.
        case known
        /// Nothing was stored: the batch with this name has the key.
        case keyTaken(by: String)
    }

    /// Stores the batch in a transaction.
    func submit(_ connection: PostgreSQLConnection) throws(FleetError) -> Answer {
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        return try connection.transaction { () throws(FleetError) in try insert(connection) }
    }

    /// Stores the batch in the caller's transaction.
    ///
    /// - Throws: `nameTaken` if another batch has the name.
    func insert(_ connection: PostgreSQLConnection) throws(FleetError) -> Answer {
        guard name.utf8.count <= Self.longestName, !name.utf8.contains(0) else {
            throw FleetError(
                .notPossible, "the name of a batch has at most \(Self.longestName) bytes, and no NUL byte")
        }
        let key = uniqueKey.map { UniqueKey(key: $0, connection: connection) }
        try key?.prepare()
        guard let number = try insertBatch(connection) else {
            if let name = try key?.owner() { return .keyTaken(by: name) }
            try checkSame(connection)
            return .known
        }
        try insertLines(number, connection)
        try FleetNotice.work.send(connection)
        return .stored(number)
    }

    /// Inserts the row of the batch, and returns its number; nil if the name or the key is taken. Columns that depend
    /// on the lines are set after the lines were inserted.
    private func insertBatch(_ connection: PostgreSQLConnection) throws(FleetError) -> Int? {
        let batch = JournalBatch(digest: "", lineCount: lines.count)
        let inserted = try connection.query(
            """
            INSERT INTO bluebonnet.batches (
                name, digest, settings, priority, line_count, has_edges, key_seed, keep, unique_key)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING number
            """,
            [
                .text(name), .text(""), .text(settings.encoded()), .integer(settings.priority),
                .integer(lines.count), .bool(false), .text(batch.keySeed),
                BatchPruning.parameter(settings.retention), uniqueKey.map { .text($0) } ?? .null,
            ])
        return inserted.count == 1 ? inserted.integer(0, 0) : nil
    }

    /// Throws `nameTaken` unless this batch has the name.
    private func checkSame(_ connection: PostgreSQLConnection) throws(FleetError) {
        let found = try connection.query(
            "SELECT digest FROM bluebonnet.batches WHERE name = $1 AND line_count = $2",
            [.text(name), .integer(lines.count)])
        guard found.count == 1, found.text(0, 0) == (try digest()) else {
            throw FleetError(
                .nameTaken, "the store already has a different batch named \(name): choose another name")
        }
    }

    private func digest() throws(FleetError) -> String {
        var digest = BatchDigest.OfLines(settings.digestSettings)
        var files: [String] = []
        for position in 0..<lines.count {
            let line = try lines.node(at: position).line.line
            digest.add(line.canonicalText)
            if let file = line.elementFile { files.append(file) }
        }
        return BatchDigest.adding(files, to: digest.finish())
    }

    private func insertLines(_ batch: Int, _ connection: PostgreSQLConnection) throws(FleetError) {
        var rows = LineRows(batch: batch, lines: lines, settings: settings)
        try connection.copy(
            """
            COPY bluebonnet.lines (batch, position, id, lane, rank, kind, is_read, line, needs)
            FROM STDIN (FORMAT binary)
            """
        ) { () throws(FleetError) in try rows.next(byteCount: Self.pieceByteCount) }
        try connection.query(
            "UPDATE bluebonnet.batches SET digest = $2, has_edges = $3, settings = $4 WHERE number = $1",
            [
                .integer(batch), .text(rows.finishDigest()), .bool(rows.hasEdges || rows.pipelines.hasAny),
                .text(settings.encoded(hasPipelines: rows.pipelines.hasAny)),
            ])
        try insertLanes(batch, rows, connection)
        let keys = rows.hasKeys ? LineKeys(connection: connection, batch: batch) : nil
        try keys?.insert(lines)
        let hasNotEnded = keys == nil ? "" : Self.hasNotEnded
        try connection.query(
            """
            INSERT INTO bluebonnet.ready (batch, lane, rank, position, entry)
            SELECT batch, lane, rank, position, \(ClaimMarks.submittedStart) + position
            FROM bluebonnet.lines WHERE batch = $1 AND needs IS NULL \(hasNotEnded) ORDER BY lane, rank, position
            """, [.integer(batch)])
        // The elements of files become ready when their lines begin.
        try rows.pipelines.insert(batch, lines.count, connection)
        guard rows.hasEdges else { return }
        try connection.query(
            """
            INSERT INTO bluebonnet.blocked (batch, position, missing)
            SELECT batch, position, cardinality(needs) FROM bluebonnet.lines
            WHERE batch = $1 AND needs IS NOT NULL \(hasNotEnded)
            """, [.integer(batch)])
        try connection.query(
            """
            INSERT INTO bluebonnet.edges (batch, dependency, dependent)
            SELECT batch, unnest(needs), position FROM bluebonnet.lines WHERE batch = $1 AND needs IS NOT NULL
            """, [.integer(batch)])
        try keys?.skipDependents()
    }

    /// The condition for lines that have not ended because of their keys.
    private static let hasNotEnded = """
        AND NOT EXISTS (
            SELECT FROM bluebonnet.results r WHERE r.batch = lines.batch AND r.position = lines.position)
        """

    private func insertLanes(
        _ batch: Int, _ rows: LineRows, _ connection: PostgreSQLConnection
    ) throws(FleetError) {
        let lanes = rows.lanes.sorted { $0.value < $1.value }
        try connection.query(
            """
            INSERT INTO bluebonnet.lanes (batch, lane, origin, line_count, ranks)
            SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
            """,
            [
                .integer(batch), .integers(lanes.map(\.value)), .texts(lanes.map(\.key.string)),
                .integers(lanes.map { rows.lineCounts[$0.value] }), .integers(lanes.map { rows.ranks[$0.value] }),
            ])
    }
}

/// A key of which the store has one batch at most. Runs in the transaction of a submission; an index of the store holds
/// the rule.
private struct UniqueKey {
    let key: String
    let connection: PostgreSQLConnection

    /// Checks the key, and takes it back from a batch that has ended and was kept for its time.
    func prepare() throws(FleetError) {
        guard !key.isEmpty, key.utf8.count <= RequestLine.longestKey, !key.utf8.contains(0) else {
            throw FleetError(.notPossible, "a unique key has 1 to \(RequestLine.longestKey) bytes, and no NUL byte")
        }
        let found = try connection.query(
            "SELECT number FROM bluebonnet.batches WHERE unique_key = $1", [.text(key)])
        guard found.count == 1 else { return }
        try BatchCompletion.record([found.integer(0, 0)], connection)
        try connection.query(
            """
            UPDATE bluebonnet.batches SET unique_key = NULL
            WHERE unique_key = $1 AND completed + coalesce(keep, 0) * interval '1 second' <= clock_timestamp()
            """, [.text(key)])
    }

    /// Returns the name of the batch with the key; nil if no batch has it.
    func owner() throws(FleetError) -> String? {
        let found = try connection.query(
            "SELECT name FROM bluebonnet.batches WHERE unique_key = $1", [.text(key)])
        return found.count == 1 ? found.text(0, 0) : nil
    }
}

/// Encodes the rows of a batch's lines, a piece at a time.
private struct LineRows {
    private let batch: Int
    private let lines: SubmittedLines
    private let settings: FleetSettings
    private var digest: BatchDigest.OfLines
    private var index = 0
    private var isEnded = false
    /// The numbers of the lanes, by the origins as the lines write them.
    private var numbers: [ByteString: Int] = [:]
    /// The numbers of the lanes, by normalized origin.
    private(set) var lanes: [ByteString: Int] = [:]
    /// The number of lines in each lane.
    private(set) var lineCounts: [Int] = []
    /// The priorities of the lines in each lane, a bit for each rank.
    private(set) var ranks: [Int] = []
    /// Whether lines wait for other lines, among the lines read so far.
    private(set) var hasEdges = false
    /// Whether lines have keys, among the lines read so far.
    private(set) var hasKeys = false
    private(set) var pipelines = SubmittedPipelines()

    init(batch: Int, lines: SubmittedLines, settings: FleetSettings) {
        (self.batch, self.lines, self.settings) = (batch, lines, settings)
        digest = BatchDigest.OfLines(settings.digestSettings)
    }

    /// Returns the digest of all lines. To be called after the last line.
    mutating func finishDigest() -> String { BatchDigest.adding(pipelines.files, to: digest.finish()) }

    mutating func next(byteCount: Int) throws(FleetError) -> [UInt8]? {
        guard !isEnded else { return nil }
        var rows = CopyRows(isFirst: index == 0)
        while index < lines.count, rows.bytes.count < byteCount {
            let node = try lines.node(at: index)
            let needs = lines.needs(of: node)
            if !needs.isEmpty { hasEdges = true }
            if node.line.line.unique != nil { hasKeys = true }
            let line = FleetLine(node, needs: needs, settings: settings)
            digest.add(line.submittedText)
            try pipelines.add(line, node, at: index, of: lines)
            write(line, to: &rows)
            index += 1
        }
        if index == lines.count {
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
        let lane = number(of: line.lane)
        ranks[lane] |= 1 << line.rank
        rows.integer(lane)
        rows.small(line.rank)
        rows.small(line.kind.rawValue)
        rows.bool(lines.isReferenced(index) || pipelines.isReadLate(index))
        rows.text(line.text)
        rows.integers(line.needs)
    }

    /// Returns the number of the lane for an origin as it is written, and counts the line there.
    private mutating func number(of written: String) -> Int {
        let number = numbers[ByteString(written)] ?? newNumber(of: written)
        lineCounts[number] += 1
        return number
    }

    /// Different spellings of an origin share a lane.
    private mutating func newNumber(of written: String) -> Int {
        let url = written.isEmpty ? settings.baseURL : URL(string: written)
        let origin = url.flatMap { Origin($0) }.map { "\($0)" } ?? ""
        let number = lanes[ByteString(origin)] ?? lanes.count
        if number == lineCounts.count {
            lanes[ByteString(origin)] = number
            lineCounts.append(0)
            ranks.append(0)
        }
        numbers[ByteString(written)] = number
        return number
    }
}

extension SubmittedLines {
    /// Reads a line, and checks that the store can keep it.
    func node(at position: Int) throws(FleetError) -> RequestLineGraph.Node {
        do throws(LineSourceError) {
            let node = try source.node(at: position)
            guard !node.line.id.utf8.contains(0) else {
                throw LineSourceError("the id of line \(node.line.number) contains a NUL byte, which cannot be stored")
            }
            if let field = SubmittedLines.unsupportedField(node.line.line) {
                throw LineSourceError(
                    "line \(node.line.number) has \"\(field)\", which a fleet does not run: use bluebonnet run --journal"
                )
            }
            try checkKey(node, at: position)
            return node
        } catch {
            throw FleetError(.notPossible, error.message)
        }
    }

    private func checkKey(_ node: RequestLineGraph.Node, at position: Int) throws(LineSourceError) {
        guard node.line.line.unique != nil else { return }
        let start = "\"unique\" of line \(node.line.number): "
        if let problem = node.line.line.keyProblem { throw LineSourceError(start + problem) }
        guard source.readers(of: position).isEmpty else {
            throw LineSourceError(start + "a line whose response has the elements of other lines has no key")
        }
    }
}
