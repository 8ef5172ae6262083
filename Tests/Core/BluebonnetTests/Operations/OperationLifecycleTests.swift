// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(2))) struct OperationLifecycleTests {
    typealias State = OperationLifecycle.State
    typealias Event = OperationLifecycle.Event
    typealias Effect = OperationLifecycle.Effect

    /// A state, and whether the operation is cancelled.
    struct Situation: Hashable {
        let state: State
        let isCancelled: Bool
    }

    /// A row of the table; `next` is nil if the event is impossible.
    struct Row {
        let situation: Situation
        let event: Event
        let next: Situation?
        let effect: Effect?
    }

    /// The events that lead to each situation. A paused operation is never cancelled: a cancel ends the pause, and a
    /// pause after a cancel has no effect.
    static let paths: [Situation: [Event]] = [
        live(.ready): [], cancelled(.ready): [.cancel],
        live(.executing): [.start], cancelled(.executing): [.start, .cancel],
        live(.pausedBeforeStart): [.pause], live(.paused): [.start, .pause],
        live(.processing): [.start, .ended], cancelled(.processing): [.start, .cancel, .ended],
        live(.finished): [.start, .ended, .processed], cancelled(.finished): [.cancel, .start, .processed],
    ]

    static let table: [Row] = [
        row(live(.ready), .start, live(.executing), .begin),
        row(live(.ready), .pause, live(.pausedBeforeStart)),
        row(live(.ready), .resume, live(.ready)),
        row(live(.ready), .cancel, cancelled(.ready)),
        row(live(.ready), .skip, live(.processing), .process),
        impossible(live(.ready), .ended),
        impossible(live(.ready), .processed),

        row(cancelled(.ready), .start, cancelled(.processing), .process),
        row(cancelled(.ready), .pause, cancelled(.ready)),
        row(cancelled(.ready), .resume, cancelled(.ready)),
        row(cancelled(.ready), .cancel, cancelled(.ready)),
        row(cancelled(.ready), .skip, cancelled(.processing), .process),
        impossible(cancelled(.ready), .ended),
        impossible(cancelled(.ready), .processed),

        row(live(.executing), .start, live(.executing)),
        row(live(.executing), .pause, live(.paused), .pause),
        row(live(.executing), .resume, live(.executing)),
        row(live(.executing), .cancel, cancelled(.executing), .abort),
        row(live(.executing), .skip, live(.executing)),
        row(live(.executing), .ended, live(.processing), .process),
        impossible(live(.executing), .processed),

        row(cancelled(.executing), .start, cancelled(.executing)),
        row(cancelled(.executing), .pause, cancelled(.executing)),
        row(cancelled(.executing), .resume, cancelled(.executing)),
        row(cancelled(.executing), .cancel, cancelled(.executing)),
        row(cancelled(.executing), .skip, cancelled(.executing)),
        row(cancelled(.executing), .ended, cancelled(.processing), .process),
        impossible(cancelled(.executing), .processed),

        row(live(.pausedBeforeStart), .start, live(.paused)),
        row(live(.pausedBeforeStart), .pause, live(.pausedBeforeStart)),
        row(live(.pausedBeforeStart), .resume, live(.ready)),
        row(live(.pausedBeforeStart), .cancel, cancelled(.ready)),
        row(live(.pausedBeforeStart), .skip, live(.processing), .process),
        impossible(live(.pausedBeforeStart), .ended),
        impossible(live(.pausedBeforeStart), .processed),

        row(live(.paused), .start, live(.paused)),
        row(live(.paused), .pause, live(.paused)),
        row(live(.paused), .resume, live(.executing), .begin),
        row(live(.paused), .cancel, cancelled(.executing), .abort),
        row(live(.paused), .skip, live(.paused)),
        row(live(.paused), .ended, live(.processing), .process),
        impossible(live(.paused), .processed),

        row(live(.processing), .start, live(.processing)),
        row(live(.processing), .pause, live(.processing)),
        row(live(.processing), .resume, live(.processing)),
        row(live(.processing), .cancel, cancelled(.processing)),
        row(live(.processing), .skip, live(.processing)),
        impossible(live(.processing), .ended),
        row(live(.processing), .processed, live(.finished)),

        row(cancelled(.processing), .start, cancelled(.processing)),
        row(cancelled(.processing), .pause, cancelled(.processing)),
        row(cancelled(.processing), .resume, cancelled(.processing)),
        row(cancelled(.processing), .cancel, cancelled(.processing)),
        row(cancelled(.processing), .skip, cancelled(.processing)),
        impossible(cancelled(.processing), .ended),
        row(cancelled(.processing), .processed, cancelled(.finished)),

        row(live(.finished), .start, live(.finished)),
        row(live(.finished), .pause, live(.finished)),
        row(live(.finished), .resume, live(.finished)),
        row(live(.finished), .cancel, live(.finished)),
        row(live(.finished), .skip, live(.finished)),
        row(live(.finished), .ended, live(.finished)),
        row(live(.finished), .processed, live(.finished)),

        row(cancelled(.finished), .start, cancelled(.finished)),
        row(cancelled(.finished), .pause, cancelled(.finished)),
        row(cancelled(.finished), .resume, cancelled(.finished)),
        row(cancelled(.finished), .cancel, cancelled(.finished)),
        row(cancelled(.finished), .skip, cancelled(.finished)),
        row(cancelled(.finished), .ended, cancelled(.finished)),
        row(cancelled(.finished), .processed, cancelled(.finished)),
    ]

    static let possibleRows = table.indices.filter { table[$0].next != nil }
    static let impossibleRows = table.indices.filter { table[$0].next == nil }

    private static func live(_ state: State) -> Situation { Situation(state: state, isCancelled: false) }
    private static func cancelled(_ state: State) -> Situation { Situation(state: state, isCancelled: true) }

    private static func row(_ from: Situation, _ event: Event, _ next: Situation, _ effect: Effect? = nil) -> Row {
        Row(situation: from, event: event, next: next, effect: effect)
    }

    private static func impossible(_ from: Situation, _ event: Event) -> Row {
        Row(situation: from, event: event, next: nil, effect: nil)
    }

    static func lifecycle(in situation: Situation) -> OperationLifecycle {
        var lifecycle = OperationLifecycle()
        for event in paths[situation] ?? [] { _ = lifecycle.handle(event) }
        return lifecycle
    }
}

extension OperationLifecycleTests {
    @Test func tableHasEveryPairOnce() {
        var pairs: [String: Int] = [:]
        for row in Self.table { pairs["\(row.situation) \(row.event)", default: 0] += 1 }
        for situation in Self.paths.keys {
            for event in Event.allCases { #expect(pairs["\(situation) \(event)"] == 1, "\(situation), \(event)") }
        }
        #expect(Set(Self.paths.keys.map(\.state)) == Set(State.allCases))
        #expect(Self.table.count == Self.paths.count * Event.allCases.count)
    }

    @Test func noOtherSituationCanBeReached() {
        let reachable = Set(Self.table.compactMap(\.next))
        #expect(reachable.isSubset(of: Set(Self.paths.keys)))
    }

    @Test func everySituationIsReachedByItsPath() {
        for situation in Self.paths.keys {
            let lifecycle = Self.lifecycle(in: situation)
            #expect(lifecycle.state == situation.state)
            #expect(lifecycle.isCancelled == situation.isCancelled)
        }
    }

    @Test(arguments: possibleRows) func eventLeadsToStateOfTable(index: Int) {
        let row = Self.table[index]
        var lifecycle = Self.lifecycle(in: row.situation)
        let effect = lifecycle.handle(row.event)
        #expect(effect == row.effect, "\(row.situation), \(row.event)")
        #expect(lifecycle.state == row.next?.state, "\(row.situation), \(row.event)")
        #expect(lifecycle.isCancelled == row.next?.isCancelled, "\(row.situation), \(row.event)")
    }

    @Test(arguments: impossibleRows) func impossibleEventTraps(index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            let row = Self.table[index]
            var lifecycle = Self.lifecycle(in: row.situation)
            _ = lifecycle.handle(row.event)
        }
    }

    @Test func publicStatesFollowFromTheState() {
        #expect(State.allCases.filter { Self.seen($0).isExecuting } == [.executing, .processing])
        #expect(State.allCases.filter { Self.seen($0).isPaused } == [.pausedBeforeStart, .paused])
        #expect(State.allCases.filter { Self.seen($0).isFinished } == [.finished])
        #expect(
            State.allCases.map { Self.seen($0).stateName } == [
                "ready", "executing", "paused", "paused", "executing", "finished",
            ])
    }

    private static func seen(_ state: State) -> OperationLifecycle {
        lifecycle(in: live(state))
    }
}
