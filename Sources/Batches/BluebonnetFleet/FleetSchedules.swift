// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation
internal import Glibc

extension Fleet {
    /// Creates a schedule: workers make a batch of the lines at each tick. A schedule with the name gets the new rule,
    /// lines and settings.
    ///
    /// Each tick has exactly one batch, whatever number of workers runs and whatever their clocks say: the clock of the
    /// store decides when a tick is due. The batch's name is the schedule's name and the tick's time in GMT:
    /// `nightly-20300131T0415Z`. Ticks that were due when no worker ran are missed; see `ScheduleRule.backfill`.
    ///
    /// - Parameters:
    ///   - lines: the lines. A line without an id gets its number, from 1, as its id. Files with elements are read by
    ///     the worker that makes the batch.
    ///   - name: the schedule's name.
    ///   - rule: when batches are made.
    ///   - settings: how the lines are run. Default `FleetSettings()`.
    /// - Returns: the first tick.
    /// - Throws: `RequestLineErrors` for invalid lines; `FleetError`.
    @discardableResult
    public func schedule(
        _ lines: [RequestLine], named name: String, _ rule: ScheduleRule,
        settings: FleetSettings = FleetSettings()
    ) async throws -> Date {
        let graph = try RequestLineGraph(lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) })
        let checked = SubmittedLines(graph.nodesInDependencyOrder)
        for position in 0..<checked.count { _ = try checked.node(at: position) }
        guard let file = NamelessFile.open() else {
            throw FleetError(.failed, "cannot create a temporary file for the lines")
        }
        defer { close(file) }
        let text = Data(lines.map { $0.canonicalText + "\n" }.joined().utf8)
        let count = text.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        guard count == text.count else { throw FleetError(.failed, "cannot write the lines to a temporary file") }
        return try await schedule(file: file, named: name, rule, settings: settings)
    }

    /// Creates a schedule with the checked request lines of a file, from the descriptor's position on.
    package func schedule(
        file: CInt, named name: String, _ rule: ScheduleRule, settings: FleetSettings
    ) async throws(FleetError) -> Date {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            return try ScheduleStore(connection: connection).set(name, rule, settings, file: file)
        }
    }

    /// Returns the schedules, sorted by name.
    public func schedules() async throws(FleetError) -> [FleetSchedule] {
        try await withSchedules { store throws(FleetError) in try store.list() }
    }

    /// Stops a schedule. Its batches continue; its ticks have no batches until it is resumed.
    ///
    /// - Throws: `FleetError`, `noSchedule` if no schedule has the name.
    public func pauseSchedule(_ name: String) async throws(FleetError) {
        try await withSchedules { store throws(FleetError) in try store.pause(name) }
    }

    /// Continues a paused schedule with the next tick. Ticks during the pause have no batches.
    ///
    /// - Throws: `FleetError`, `noSchedule` if no schedule has the name.
    public func resumeSchedule(_ name: String) async throws(FleetError) {
        try await withSchedules { store throws(FleetError) in try store.resume(name) }
    }

    /// Removes a schedule. Its batches stay.
    ///
    /// - Throws: `FleetError`, `noSchedule` if no schedule has the name.
    public func removeSchedule(_ name: String) async throws(FleetError) {
        try await withSchedules { store throws(FleetError) in try store.remove(name) }
    }

    private func withSchedules<Value: Sendable>(
        _ work: @escaping @Sendable (ScheduleStore) throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            // A store of an earlier version has no table of schedules yet.
            try FleetSchema.prepare(connection)
            return try work(ScheduleStore(connection: connection))
        }
    }
}
