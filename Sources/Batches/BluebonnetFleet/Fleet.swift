// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// A fleet: batches in a PostgreSQL database, and the workers that run them. A value; each call makes a connection of
/// its own, and lets go of it.
///
/// ```swift
/// let fleet = Fleet(store: "postgresql://jobs@db.example.com/jobs")
/// try await fleet.submit(lines, named: "nightly")
/// for try await line in fleet.results(of: "nightly") { print(String(decoding: line, as: UTF8.self)) }
/// ```
///
/// The calls wait for the store on threads of their own. They throw `FleetError`.
public struct Fleet: Sendable {
    /// The store: a URI `postgresql://…` or a connection string of libpq. What it leaves out comes from where libpq
    /// takes it: `PGHOST`, `PGUSER`, `PGSSLMODE` and so on, a service file, a password file.
    public let store: String

    /// Names a store; nothing is opened.
    public init(store: String) { self.store = store }

    /// Puts a batch into the store, all of it or nothing. The tables are made when they are not there, or brought up to
    /// this version.
    ///
    /// - Parameters:
    ///   - lines: the lines. One without an id has the number of its place, from 1.
    ///   - name: the batch's name.
    ///   - settings: how the lines are run. Default `FleetSettings()`.
    /// - Returns: false when the store has this batch with this name already.
    /// - Throws: `RequestLineErrors` for what is wrong with the lines; `FleetError`, `nameTaken` among others.
    @discardableResult
    public func submit(
        _ lines: [RequestLine], named name: String, settings: FleetSettings = FleetSettings()
    ) async throws -> Bool {
        let graph = try RequestLineGraph(lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) })
        return try await submit(SubmittedLines(graph.nodesInDependencyOrder), named: name, settings: settings)
    }

    /// Puts a batch of checked lines into the store.
    package func submit(
        _ lines: SubmittedLines, named name: String, settings: FleetSettings
    ) async throws(FleetError) -> Bool {
        let submission = Submission(name: name, settings: settings, lines: lines)
        return try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            return try submission.submit(connection)
        }
    }

    /// All batches, in the order in which they were submitted.
    public func batches() async throws(FleetError) -> [FleetBatch] {
        try await reading { reading throws(FleetError) in try reading.batches() }
    }

    /// The state of a batch.
    ///
    /// - Throws: `FleetError`, `noBatch` when no batch has the name.
    public func batch(named name: String) async throws(FleetError) -> FleetBatch {
        try await reading { reading throws(FleetError) in try reading.batch(name) }
    }

    /// The workers that were not taken for lost, in the order in which they have come.
    public func members() async throws(FleetError) -> [FleetMember] {
        try await reading { reading throws(FleetError) in try reading.members() }
    }

    /// The origins of a batch, those with the most lines first.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - limit: the most origins that are given. Default 16.
    /// - Throws: `FleetError`, `noBatch` when no batch has the name.
    public func origins(ofBatch name: String, limit: Int = 16) async throws(FleetError) -> [FleetOrigin] {
        try await reading { reading throws(FleetError) in try reading.origins(name, limit: limit) }
    }

    /// Stops giving lines of a batch to workers. Lines that workers have continue.
    ///
    /// - Throws: `FleetError`, `notPossible` when the batch was cancelled.
    public func pause(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.pause() }
    }

    /// Gives workers lines of a paused batch again.
    ///
    /// - Throws: `FleetError`, `notPossible` when the batch was cancelled.
    public func resume(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.resume() }
    }

    /// Cancels everything of a batch that has not ended. Lines that workers have are cancelled when the workers are
    /// notified.
    public func cancel(_ name: String) async throws(FleetError) {
        try await control(name) { control throws(FleetError) in try control.cancel() }
    }

    /// Lets lines of a batch run again that have failed, were cancelled or were skipped; their results are removed. The
    /// batch is open then, also when it was cancelled.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - includesUnknown: whether lines run again whose outcome is not known. They may have been sent. Default false.
    /// - Returns: the number of lines.
    @discardableResult
    public func retryFailed(_ name: String, includesUnknown: Bool = false) async throws(FleetError) -> Int {
        try await control(name) { control throws(FleetError) in
            try control.retryFailed(withUnknown: includesUnknown)
        }
    }

    /// Removes a batch that has ended, with its lines and results. Its name is free at once; its rows are removed some
    /// thousands at a time, so that nobody waits for them. When the call breaks off after that, the next one, for any
    /// batch, removes what is left.
    ///
    /// - Throws: `FleetError`, `notPossible` when the batch is neither complete nor cancelled, or when workers have
    ///   lines of it; `noBatch` when no batch has the name.
    public func remove(_ name: String) async throws(FleetError) {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            try BatchRemoval(connection: connection).remove(name)
        }
    }

    /// The result lines of a batch, without line ends, in the order in which they were recorded: each line once.
    ///
    /// The sequence throws `FleetError`, `noBatch` when no batch has the name.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - follows: whether the sequence waits for lines that have not ended, and for a store that is away, and ends
    ///     with the batch. Default true; else it ends after what is there.
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
    /// How long it waits for more.
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
