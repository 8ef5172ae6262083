// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// A fleet: batches in a PostgreSQL database, and the workers that run them. A value type; each call opens its own
/// connection and closes it.
///
/// ```swift
/// let fleet = Fleet(store: "postgresql://jobs@db.example.com/jobs")
/// try await fleet.submit(lines, named: "nightly")
/// for try await line in fleet.results(of: "nightly") { print(String(decoding: line, as: UTF8.self)) }
/// ```
///
/// Calls wait for the store on threads that they create, and throw `FleetError`.
public struct Fleet: Sendable {
    /// The store: a `postgresql://…` URI or a connection string of libpq. libpq takes missing parameters from its
    /// usual sources: `PGHOST`, `PGUSER`, `PGSSLMODE` and so on, a service file, a password file.
    public let store: String

    /// Creates a fleet for a store. Nothing is opened.
    public init(store: String) { self.store = store }

    /// Stores a batch, completely or not at all. Creates the tables if they are missing, or migrates tables of an
    /// older version.
    ///
    /// - Parameters:
    ///   - lines: the lines. A line without an id gets its number, from 1, as its id.
    ///   - name: the batch's name.
    ///   - settings: how the lines are run. Default `FleetSettings()`.
    /// - Returns: false if the store already has this batch under this name.
    /// - Throws: `RequestLineErrors` for invalid lines; `FleetError`, for example `nameTaken`.
    @discardableResult
    public func submit(
        _ lines: [RequestLine], named name: String, settings: FleetSettings = FleetSettings()
    ) async throws -> Bool {
        let graph = try RequestLineGraph(lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) })
        return try await submit(SubmittedLines(graph.nodesInDependencyOrder), named: name, settings: settings)
    }

    /// Stores a batch unless the store has a batch with the same key. A batch has its key while lines of it have not
    /// ended, and then for its `FleetSettings.retention`; a batch without a retention gives its key back when all its
    /// lines have ended.
    ///
    /// - Parameters:
    ///   - lines: the lines. A line without an id gets its number, from 1, as its id.
    ///   - name: the batch's name.
    ///   - key: the key, of 1,000 bytes at most.
    ///   - settings: how the lines are run. Default `FleetSettings()`.
    /// - Returns: the name of the batch with the key: `name`, or the name of the earlier batch, whose lines may differ.
    /// - Throws: as the method without a key.
    @discardableResult
    public func submit(
        _ lines: [RequestLine], named name: String, unique key: String, settings: FleetSettings = FleetSettings()
    ) async throws -> String {
        let graph = try RequestLineGraph(lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) })
        let lines = SubmittedLines(graph.nodesInDependencyOrder)
        return try await submit(lines, named: name, unique: key, settings: settings).name
    }

    /// Stores a batch of checked lines.
    package func submit(
        _ lines: SubmittedLines, named name: String, settings: FleetSettings
    ) async throws(FleetError) -> Bool {
        try await submit(lines, named: name, unique: nil, settings: settings).isNew
    }

    /// Stores a batch of checked lines, unless the store has a batch with the same key.
    ///
    /// - Returns: the name of the batch that the store has, and whether it is new.
    package func submit(
        _ lines: SubmittedLines, named name: String, unique key: String?, settings: FleetSettings
    ) async throws(FleetError) -> (name: String, isNew: Bool) {
        let submission = Submission(name: name, settings: settings, lines: lines, uniqueKey: key)
        return try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            return switch try submission.submit(connection) {
            case .stored: (name, true)
            case .known: (name, false)
            case .keyTaken(let owner): (owner, false)
            }
        }
    }

    /// Returns all batches in the order in which they were submitted.
    public func batches() async throws(FleetError) -> [FleetBatch] {
        try await reading { reading throws(FleetError) in try reading.batches() }
    }

    /// Returns the state of a batch.
    ///
    /// - Throws: `FleetError`, `noBatch` if no batch has the name.
    public func batch(named name: String) async throws(FleetError) -> FleetBatch {
        try await reading { reading throws(FleetError) in try reading.batch(name) }
    }

    /// Returns the workers that were not declared lost, in the order in which they were registered.
    public func members() async throws(FleetError) -> [FleetMember] {
        try await reading { reading throws(FleetError) in try reading.members() }
    }

    /// Returns the origins of a batch, the origins with the most lines first.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - limit: the maximum number of origins to return. Default 16.
    /// - Throws: `FleetError`, `noBatch` if no batch has the name.
    public func origins(ofBatch name: String, limit: Int = 16) async throws(FleetError) -> [FleetOrigin] {
        try await reading { reading throws(FleetError) in try reading.origins(name, limit: limit) }
    }

    /// Stops giving lines of a batch to workers. Lines that workers have claimed continue.
    ///
    /// - Throws: `FleetError`, `notPossible` if the batch was cancelled.
    public func pause(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.pause() }
    }

    /// Gives lines of a paused batch to workers again.
    ///
    /// - Throws: `FleetError`, `notPossible` if the batch was cancelled.
    public func resume(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.resume() }
    }

    /// Cancels all lines of a batch that have not ended. Lines that workers have claimed are cancelled when the
    /// workers are notified.
    public func cancel(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.cancel() }
    }

    /// Runs failed, cancelled and skipped lines of a batch again, and removes their results. The batch is open
    /// afterwards, even if it was cancelled. A line whose key (`RequestLine.unique`) another line has does not run.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - includesUnknown: whether lines with an unknown outcome run again. These may have been sent. Default false.
    ///   - condition: the failed and cancelled lines that run again, each with the lines that were skipped because of
    ///     it. Default nil: all.
    /// - Returns: the number of lines that run again.
    @discardableResult
    public func retryFailed(
        _ name: String, includesUnknown: Bool = false, where condition: ResultCondition? = nil
    ) async throws(FleetError) -> Int {
        try await control(name) { control throws(FleetError) in
            try control.retryFailed(withUnknown: includesUnknown, where: condition)
        }
    }

    /// Removes an ended batch with its lines and results. The batch's name is free at once. The rows are deleted some
    /// thousands at a time, so that other programs do not wait for the deletion. If the call is interrupted after the
    /// name is free, the next call, for any batch, deletes the remaining rows.
    ///
    /// - Throws: `FleetError`, `notPossible` if the batch is neither complete nor cancelled, or if workers have
    ///   claimed lines of it; `noBatch` if no batch has the name.
    public func remove(_ name: String) async throws(FleetError) {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            try BatchRemoval(connection: connection).remove(name)
        }
    }

    /// Removes the batches that have been complete, or cancelled, for longer than they are kept, with their lines and
    /// results. Workers do so by themselves, once a minute.
    ///
    /// - Parameter retention: how long batches without their own retention (`FleetSettings.retention`) are kept.
    ///   From 0 to 1,000,000,000 s; other values count as the nearest of these. Default nil: such batches are not
    ///   removed.
    /// - Returns: the names of the removed batches.
    @discardableResult
    public func prune(keeping retention: Duration? = nil) async throws(FleetError) -> [String] {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            return try BatchPruning(connection: connection, retention: retention).prune()
        }
    }

    /// Examines the store: its version, settings, permissions and clock, transactions that stay open, and the sizes
    /// of tables and indexes.
    ///
    /// - Returns: the findings, problems first.
    /// - Throws: `FleetError` if the store cannot be reached or refuses the connection.
    public func examine() async throws(FleetError) -> [StoreFinding] {
        try await StoreThread.run(store) { connection throws(FleetError) in
            StoreDiagnosis(try StoreFacts.read(connection)).findings
        }
    }

    /// Returns the result lines of a batch, without line breaks, in the order in which they were recorded. Each line
    /// appears once.
    ///
    /// The sequence throws `FleetError`, `noBatch` if no batch has the name.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - follows: whether the sequence waits for lines that have not ended and for an unreachable store, and ends
    ///     with the batch. Default true; if false, the sequence ends after the results that are in the store.
    public func results(of name: String, follows: Bool = true) -> AsyncThrowingStream<Data, any Error> {
        let reader = ResultReader(store: store, batch: name, follows: follows)
        return AsyncThrowingStream { try await reader.next() }
    }
}

extension Fleet {
    private func reading<Value: Sendable>(
        _ work: @escaping @Sendable (FleetReading) throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            return try work(FleetReading(connection: connection))
        }
    }

    private func control<Value: Sendable>(
        _ name: String, _ work: @escaping @Sendable (BatchControl) throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            return try work(BatchControl(connection: connection, name: name))
        }
    }
}

/// Reads the results of a batch page by page, over one connection.
private actor ResultReader {
    static let pageLength = 1_000
    /// How long the reader sleeps before it asks for more results.
    private static let pause = Duration.milliseconds(250)

    private let connection: KeptConnection
    private let batch: String
    private let follows: Bool
    private var cursor = ResultCursor()
    private var lines: ArraySlice<Data> = []
    private var isEnded = false

    init(store: String, batch: String, follows: Bool) {
        connection = KeptConnection(store)
        (self.batch, self.follows) = (batch, follows)
    }

    func next() async throws -> Data? {
        while lines.isEmpty, !isEnded { try await fill() }
        return lines.popFirst()
    }

    private func fill() async throws {
        do throws(FleetError) {
            let page = try await connection.run { [batch, cursor] connection throws(FleetError) in
                try FleetSchema.check(connection)
                return try FleetReading(connection: connection).results(batch, after: cursor, limit: Self.pageLength)
            }
            (lines, cursor) = (page.lines[...], page.cursor)
            isEnded = page.isLast || (!follows && page.lines.isEmpty)
        } catch {
            guard follows, error.code == .unreachable else { throw error }
        }
        if lines.isEmpty, !isEnded { try await Task.sleep(for: Self.pause) }
    }
}
