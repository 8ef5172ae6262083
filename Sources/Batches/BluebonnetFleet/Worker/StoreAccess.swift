// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// Connects a worker to the store, and reconnects after errors. Confined to the worker's thread.
struct StoreAccess {
    typealias Instant = ContinuousClock.Instant

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(5)

    private let target: String
    /// The worker's name.
    let name: String
    private let configuration: FleetWorker.Configuration
    /// The worker's number, which stays the same while the store knows it.
    private var worker: Int?
    private var pause = StoreAccess.shortestPause
    private var wasOpen = false
    /// The connection; nil while there is no connection.
    private(set) var session: WorkerStore?
    /// Whether the connection was just made.
    var isNew = false
    /// Why there is no connection.
    private var connectionError: FleetError?
    /// Why old batches were not removed.
    var pruningError: FleetError?
    /// The error of the connection, or else of pruning.
    var problem: FleetError? { connectionError ?? pruningError }
    private(set) var nextAttempt = Instant.now
    /// The notifications to be sent, also with a later connection.
    private let notices = PendingNotices()
    /// When to poll the store; nil if notifications arrive.
    private var pace: PollPace?

    init(_ target: String, _ configuration: FleetWorker.Configuration) {
        (self.target, self.configuration) = (target, configuration)
        name = configuration.name ?? "\(ProcessInfo.processInfo.hostName):\(getpid())"
    }

    /// Returns the connection, and connects first if necessary; nil before the next attempt is due.
    mutating func open() throws(FleetError) -> WorkerStore? {
        if let session { return session }
        guard Instant.now >= nextAttempt else { return nil }
        let connection = try PostgreSQLConnection(target, name: "bluebonnet \(name)", timeout: timeout)
        connection.onAnswer = configuration.meter.map { meter in { meter.recordStatement($0) } }
        // The worker waits for tables that other transactions use as it waits for a store: it handles its events.
        try FleetSchema.prepare(connection, attempts: 1)
        try connection.forceIndexScans()
        if let known = try known(connection) { session = known } else { session = try register(connection) }
        let pending = notices
        session?.notices = pending
        (isNew, wasOpen, pause) = (true, true, Self.shortestPause)
        connectionError = nil
        return session
    }

    /// The worker gives up a silent store before other workers declare this worker lost.
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

    /// Lets notifications arrive, or makes the worker poll the store if a pooler keeps them away.
    mutating func subscribe() throws(FleetError) {
        guard let connection = session?.connection else { return }
        pace = connection.isPooled ? PollPace(now: .now) : nil
        if pace == nil { try FleetNotice.listen(connection) }
    }

    /// Waits until there is news, until an instant, until `wake` is readable, or until the worker's own notifications
    /// are to be sent.
    ///
    /// - Parameter hasLines: whether the worker has lines.
    /// - Returns: what the worker has to look at.
    mutating func news(until limit: Instant, wake: Int32, hasLines: Bool) throws(FleetError) -> Set<FleetNotice> {
        guard let connection = session?.connection else { return [] }
        let end = [limit, notices.due, pace?.next].compactMap(\.self).min() ?? limit
        let payloads = try connection.notifications(until: end, wake: wake)
        guard let next = pace?.next, Instant.now >= next else {
            return Set(payloads.compactMap(FleetNotice.init))  // newer versions may send others
        }
        pace?.asked(hasLines: hasLines, now: .now)
        return [.work, .cancel, .pause]
    }

    /// Records that there were lines to claim.
    mutating func foundWork() { pace?.foundWork(now: .now) }

    /// Removes the worker, which must have no claims, from the list of workers.
    func leave() {
        guard let session else { return }
        try? notices.sendAll(session.connection)
        try? session.leave()
    }

    /// Registers the worker again with the next connection, after the store has declared it lost.
    mutating func registerAgain() { (worker, session, nextAttempt) = (nil, nil, .now) }

    /// Whether an error is lasting: the store refuses the worker before the first connection was made. Tables that
    /// other transactions use are free later.
    func isRefusal(_ error: FleetError) -> Bool { !wasOpen && error.code != .unreachable && !error.isConflict }

    /// The error of a worker that ends with outcomes that it could not record.
    func lastWord(unrecorded count: Int) -> FleetError {
        FleetError(
            .unreachable,
            "the worker stopped before it recorded \(count) outcomes: "
                + "the store is unavailable (\(connectionError?.message ?? "no answer"))")
    }

    /// Gives up the connection after an error. The next attempt follows after a pause.
    mutating func lose(_ error: FleetError) {
        session = nil
        nextAttempt = .now + pause
        pause = min(Self.longestPause, pause * 2)
        connectionError = error
    }
}

extension WorkerInbox {
    /// Blocks until an event is posted, or until an instant.
    func wait(until limit: ContinuousClock.Instant) {
        var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        let left = limit - .now
        guard left > .zero else { return }
        _ = poll(&descriptor, 1, Int32(min(Int64(Int32.max), Int64((left / .milliseconds(1)).rounded(.up)))))
    }
}
