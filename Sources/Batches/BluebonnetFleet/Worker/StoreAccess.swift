// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// A worker's way to the store: connects, and connects again when the store was away. Confined to the worker's thread.
struct StoreAccess {
    typealias Instant = ContinuousClock.Instant

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(5)

    private let target: String
    /// The worker's name.
    let name: String
    private let configuration: FleetWorker.Configuration
    /// The worker's number, which it keeps while the store has it.
    private var worker: Int?
    private var pause = StoreAccess.shortestPause
    private var wasOpen = false
    /// The connection; nil while the store is away.
    private(set) var session: WorkerStore?
    /// Whether the connection has just been made.
    var isNew = false
    /// Why there is no connection.
    private(set) var problem: FleetError?
    private(set) var nextAttempt = Instant.now

    init(_ target: String, _ configuration: FleetWorker.Configuration) {
        (self.target, self.configuration) = (target, configuration)
        name = configuration.name ?? "\(ProcessInfo.processInfo.hostName):\(getpid())"
    }

    /// The connection, which is made when it is time; nil while the store is away.
    mutating func open() throws(FleetError) -> WorkerStore? {
        if let session { return session }
        guard Instant.now >= nextAttempt else { return nil }
        let connection = try PostgreSQLConnection(target, name: "bluebonnet \(name)", timeout: timeout)
        try FleetSchema.prepare(connection)
        // Rows are found by their keys. What the planner makes of tables that grow by a million rows within seconds, or
        // that were empty when it looked, is of no use.
        try connection.query("SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan")
        if let known = try known(connection) { session = known } else { session = try register(connection) }
        (isNew, wasOpen, pause) = (true, true, Self.shortestPause)
        problem = nil
        return session
    }

    /// A store that does not answer is given up before others take the worker for lost.
    private var timeout: Duration { min(PostgreSQLConnection.timeout, max(.seconds(2), configuration.lease / 2)) }

    private func known(_ connection: PostgreSQLConnection) throws(FleetError) -> WorkerStore? {
        guard let worker else { return nil }
        let store = WorkerStore(connection: connection, worker: worker)
        return try store.beat(knownWorker: 0) ? store : nil
    }

    private mutating func register(_ connection: PostgreSQLConnection) throws(FleetError) -> WorkerStore {
        let store = try WorkerStore.register(
            connection, name: name, slots: configuration.concurrency, lease: configuration.lease / .seconds(1))
        worker = store.worker
        return store
    }

    /// The store has taken the worker for lost: it begins anew with the next connection.
    mutating func registerAgain() { (worker, session, nextAttempt) = (nil, nil, .now) }

    /// Whether an error will not pass: the store refuses the worker at the beginning.
    func isRefusal(_ error: FleetError) -> Bool { !wasOpen && error.code != .unreachable }

    /// Something went wrong: the connection is given up, and another one is made after a pause.
    mutating func lose(_ error: FleetError) {
        session = nil
        nextAttempt = .now + pause
        pause = min(Self.longestPause, pause * 2)
        problem = error
    }
}

extension WorkerInbox {
    /// Waits for an event, or until an instant.
    func wait(until limit: ContinuousClock.Instant) {
        var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        let left = limit - .now
        guard left > .zero else { return }
        _ = poll(&descriptor, 1, Int32(min(Int64(Int32.max), Int64((left / .milliseconds(1)).rounded(.up)))))
    }
}
