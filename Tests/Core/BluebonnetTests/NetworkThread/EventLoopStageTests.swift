// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The stages at the end of a round, on an event loop turned by hand.
@Suite(.timeLimit(.minutes(1))) struct EventLoopStageTests {
    private let log = StageLog(EventLoop(inbox: Inbox()))

    @Test func taskForALaterStageRunsInTheSameRound() {
        log.add(.processing, "processing") { log in
            log.add(.starting, "starting") { $0.add(.other, "other") }
        }
        log.loop.runTurn()
        #expect(log.names == ["processing", "starting", "other"])
        #expect(Set(log.rounds).count == 1)
    }

    @Test(arguments: RoundStage.allCases)
    func taskForTheSameOrEarlierStageWaitsOneRound(stage: RoundStage) {
        for earlier in RoundStage.allCases where earlier.rawValue <= stage.rawValue {
            let log = StageLog(EventLoop(inbox: Inbox()))
            log.add(stage, "first") { $0.add(earlier, "second") }
            log.loop.runTurn()
            #expect(log.names == ["first", "second"])
            #expect(log.rounds[1] == log.rounds[0] + 1)
        }
    }

    @Test func stagesRunInTheirOwnOrder() {
        for stage in RoundStage.allCases.reversed() { log.add(stage, "\(stage)") }
        log.loop.runTurn()
        #expect(log.names == RoundStage.allCases.map { "\($0)" })
    }

    @Test func tasksOfAStageRunInArrivalOrder() {
        let count = 10_000
        for number in 0..<count { log.add(.starting, "\(number)") }
        log.loop.runTurn()
        for number in 0..<count { log.add(.starting, "\(number)") }
        log.loop.runTurn()
        #expect(log.names == (0..<count).map { "\($0)" } + (0..<count).map { "\($0)" })
    }
}

/// Records which tasks ran in which round.
private final class StageLog {
    let loop: EventLoop
    private(set) var names: [String] = []
    private(set) var rounds: [UInt64] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func add(_ stage: RoundStage, _ name: String, then follow: @escaping (StageLog) -> Void = { _ in }) {
        loop.atEndOfRound(
            stage,
            StageTask { [self] in
                names.append(name)
                rounds.append(loop.roundNumber)
                follow(self)
            })
    }
}

private final class StageTask: RoundEndTask {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func roundEnds() { action() }
}
