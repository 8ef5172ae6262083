// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import NIOCore

/// The connections of one proxy, and the plans of further connections.
final class FaultConnections: Sendable {
    typealias Connection = NIOLoopBound<FaultConnection>

    private struct State {
        var schedule: FaultSchedule
        var scheduledCount = 0
        var count = 0
        var mode = FaultProxy.Mode.forward
        var connections: [ObjectIdentifier: Connection] = [:]

        mutating func nextPlan() -> FaultPlan {
            var plan = schedule.plan(forConnection: scheduledCount)
            (scheduledCount, count) = (scheduledCount + 1, count + 1)
            if mode == .refuse { plan.isRefused = true }
            return plan
        }
    }

    let openCount = Observed(0)
    private let state: Mutex<State>

    init(_ schedule: FaultSchedule) { state = Mutex(State(schedule: schedule)) }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    var count: Int { state.withLock { $0.count } }

    func set(_ schedule: FaultSchedule) { state.withLock { ($0.schedule, $0.scheduledCount) = (schedule, 0) } }

    /// Stores the mode. Returns the connections to which the caller must apply it.
    func set(_ mode: FaultProxy.Mode) -> [Connection] {
        state.withLock { state in
            state.mode = mode
            return Array(state.connections.values)
        }
    }

    func accept(_ client: any Channel, toPort port: Int) throws {
        let (plan, mode) = state.withLock { ($0.nextPlan(), $0.mode) }
        let connection = FaultConnection(client: client, plan: plan, isStalled: mode == .stall)
        let id = ObjectIdentifier(connection)
        let bound = NIOLoopBound(connection, eventLoop: client.eventLoop)
        state.withLock { $0.connections[id] = bound }
        openCount.increment()
        client.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.connections.removeValue(forKey: id) }
            openCount.update { $0 -= 1 }
        }
        try connection.begin(toPort: port)
    }
}
