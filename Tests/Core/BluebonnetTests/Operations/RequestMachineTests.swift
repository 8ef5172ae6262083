// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Every pair of a state and an event. Pairs that are not in the table do not change the state and have no effect.
@Suite(.timeLimit(.minutes(1))) struct RequestMachineTests {
    /// A row of the table.
    struct Row {
        let situation: String
        let event: String
        let state: String
        let effect: String?
    }

    static let origin = Origin(plain: "http://a/")!
    static let error = NetworkingError(.connectionLost, "lost")

    static let events: [(name: String, event: RequestMachine.Event)] = [
        ("begin", .begin), ("pause", .pauseRequested(keepsTransfer: false)),
        ("pauseKeeping", .pauseRequested(keepsTransfer: true)),
        ("fail", .fail(error)), ("priorityChanged", .priorityChanged),
        ("prepared", .prepared(isAdapted: true, isRetried: true, isCached: false)), ("stored", .stored(origin)),
        ("notCached", .notCached), ("inFlight", .inFlight), ("flightEnded", .flightEnded),
        ("storedBodyRead", .storedBodyRead), ("storedBodyLost", .storedBodyLost), ("reachable", .reachable(origin)),
        ("credentialReady", .credentialReady),
        ("granted", .granted), ("refused", .refused(until: 9)), ("adapted", .adapted),
        ("originChanged", .originChanged), ("credentialNeeded", .credentialNeeded), ("workEnded", .workEnded),
        ("opened", .opened), ("openedForOtherHop", .openedForOtherHop), ("descriptorsMissing", .descriptorsMissing),
        ("complete", .transferEnded(.complete, .mayHaveArrived)),
        ("another", .transferEnded(.another(isRedirect: true), .mayHaveArrived)),
        ("pending", .transferEnded(.pending, .mayHaveArrived)),
        ("answeredByStored", .transferEnded(.stored(origin), .mayHaveArrived)),
        ("failed", .transferEnded(.failed(error), .mayHaveArrived)),
        ("refusedResponse", .transferEnded(.undecidedRetry, .mayHaveArrived)),
        ("judgedWait", .judged(.wait(until: 9), error)),
        ("judgedEnd", .judged(.end, error)), ("judgedAccept", .judged(.end, nil)), ("judgedAsk", .judged(ask, error)),
        ("retryDue", .retryDue), ("accepted", .accepted), ("bodyWritten", .bodyWritten),
    ]

    /// The events that lead to each situation.
    static let paths: [String: [String]] = {
        var paths = ["new": [String](), "prepare": ["begin"]]
        func add(_ name: String, _ former: String, _ events: String...) { paths[name] = paths[former]! + events }
        add("preparing while paused", "prepare", "pause")
        add("idle before cache", "preparing while paused", "prepared")
        add("cache", "prepare", "prepared")
        add("coalescing", "cache", "inFlight")
        add("stored files", "cache", "stored")
        add("stored files while paused", "stored files", "pause")
        add("idle before stored", "stored files while paused", "opened")
        add("stored", "stored files", "opened")
        add("stored while paused", "stored", "pause")
        add("connectivity", "cache", "notCached")
        add("idle before connectivity", "connectivity", "pause")
        add("admission", "connectivity", "reachable")
        add("adaptation", "admission", "granted")
        add("credential", "adaptation", "credentialNeeded")
        add("idle before credential", "credential", "pause")
        add("backoff", "adaptation", "refused")
        add("idle before backoff", "backoff", "pause")
        add("files", "adaptation", "adapted")
        add("hop", "files", "opened")
        add("transfer paused", "hop", "pauseKeeping")
        add("transfer queued", "transfer paused", "begin")
        add("answer", "hop", "pending")
        add("answer while paused", "answer", "pause")
        add("retry answer", "hop", "failed")
        add("retry answer while paused", "retry answer", "pause")
        add("body", "hop", "complete")
        add("body while paused", "body", "pause")
        add("ended", "body", "bodyWritten")
        return paths
    }()

    static let table: [Row] = rows(
        """
        new                       | begin              | at prepare               | enter prepare
        prepare                   | prepared           | at cache                 | enter cache
        preparing while paused    | prepared           | idle before cache        | -
        idle before cache         | begin              | at cache                 | enter cache
        cache                     | stored             | at stored files          | enter stored files
        cache                     | inFlight           | at coalescing            | enter coalescing
        coalescing                | pause              | idle before cache        | interrupt
        coalescing                | pauseKeeping       | idle before cache        | interrupt
        coalescing                | notCached          | at connectivity          | enter connectivity
        coalescing                | flightEnded        | at cache                 | enter cache
        stored files              | opened             | at stored                | enter stored
        stored files              | openedForOtherHop  | at stored files          | enter stored files
        stored files              | storedBodyRead     | at stored files          | enter stored files
        stored files              | storedBodyLost     | at credential            | enter credential
        stored files while paused | opened             | idle before stored       | -
        stored files while paused | openedForOtherHop  | idle before stored files | -
        stored files while paused | storedBodyRead     | idle before stored files | -
        stored files while paused | storedBodyLost     | idle before credential   | -
        idle before stored        | begin              | at stored                | enter stored
        stored                    | complete           | at body                  | enter body
        stored                    | another            | at credential            | enter credential
        stored                    | pending            | at answer                | -
        stored                    | answeredByStored   | at stored files          | enter stored files
        stored                    | failed             | at retry answer          | judge error
        stored                    | refusedResponse    | at retry answer          | judge response
        stored while paused       | complete           | at body                  | enter body
        stored while paused       | another            | idle before credential   | -
        stored while paused       | pending            | at answer                | -
        stored while paused       | answeredByStored   | idle before stored files | -
        stored while paused       | failed             | at retry answer          | judge error
        stored while paused       | refusedResponse    | at retry answer          | judge response
        cache                     | notCached          | at connectivity          | enter connectivity
        connectivity              | pause              | idle before connectivity | interrupt
        connectivity              | pauseKeeping       | idle before connectivity | interrupt
        connectivity              | reachable          | at admission             | enter admission
        idle before connectivity  | begin              | at connectivity          | enter connectivity
        admission                 | pause              | idle before connectivity | interrupt
        admission                 | pauseKeeping       | idle before connectivity | interrupt
        admission                 | priorityChanged    | at admission             | enter admission
        admission                 | stored             | at stored files          | enter stored files
        admission                 | granted            | at adaptation            | enter adaptation
        adaptation                | pause              | idle before connectivity | interrupt
        adaptation                | pauseKeeping       | idle before connectivity | interrupt
        adaptation                | stored             | at stored files          | enter stored files
        adaptation                | adapted            | at files                 | enter files
        adaptation                | originChanged      | at connectivity          | enter connectivity
        adaptation                | credentialNeeded   | at credential            | enter credential
        adaptation                | refused            | at backoff 9             | enter backoff 9
        adaptation                | workEnded          | at adaptation            | enter adaptation
        credential                | pause              | idle before credential   | interrupt
        credential                | pauseKeeping       | idle before credential   | interrupt
        credential                | credentialReady    | at connectivity          | enter connectivity
        credential                | workEnded          | at credential            | enter credential
        idle before credential    | begin              | at credential            | enter credential
        backoff                   | pause              | idle before backoff 9    | interrupt
        backoff                   | pauseKeeping       | idle before backoff 9    | interrupt
        backoff                   | retryDue           | at connectivity          | enter connectivity
        idle before backoff       | begin              | at backoff 9             | enter backoff 9
        files                     | pause              | idle before connectivity | interrupt
        files                     | pauseKeeping       | idle before connectivity | interrupt
        files                     | opened             | at hop                   | enter hop
        files                     | openedForOtherHop  | at files                 | enter files
        files                     | descriptorsMissing | at credential            | enter credential
        hop                       | pause              | idle before connectivity | interrupt
        hop                       | pauseKeeping       | transfer paused          | pause transfer
        hop                       | complete           | at body                  | enter body
        hop                       | another            | at credential            | enter credential
        hop                       | pending            | at answer                | -
        hop                       | answeredByStored   | at stored files          | enter stored files
        hop                       | failed             | at retry answer          | judge error
        hop                       | refusedResponse    | at retry answer          | judge response
        transfer paused           | begin              | transfer queued          | queue transfer
        transfer paused           | complete           | at body                  | enter body
        transfer paused           | another            | idle before credential   | -
        transfer paused           | pending            | at answer                | -
        transfer paused           | answeredByStored   | idle before stored files | -
        transfer paused           | failed             | at retry answer          | judge error
        transfer paused           | refusedResponse    | at retry answer          | judge response
        transfer queued           | pause              | transfer paused          | dequeue transfer
        transfer queued           | pauseKeeping       | transfer paused          | dequeue transfer
        transfer queued           | granted            | at hop                   | resume transfer
        transfer queued           | complete           | at body                  | enter body
        transfer queued           | another            | at credential            | enter credential
        transfer queued           | pending            | at answer                | -
        transfer queued           | answeredByStored   | at stored files          | enter stored files
        transfer queued           | failed             | at retry answer          | judge error
        transfer queued           | refusedResponse    | at retry answer          | judge response
        answer                    | complete           | at body                  | enter body
        answer                    | answeredByStored   | at stored files          | enter stored files
        answer                    | another            | at credential            | enter credential
        answer                    | failed             | at retry answer          | judge error
        answer                    | refusedResponse    | at retry answer          | judge response
        answer while paused       | complete           | at body                  | enter body
        answer while paused       | answeredByStored   | idle before stored files | -
        answer while paused       | another            | idle before credential   | -
        answer while paused       | failed             | at retry answer          | judge error
        answer while paused       | refusedResponse    | at retry answer          | judge response
        retry answer              | judgedWait         | at backoff 9             | enter backoff 9
        retry answer              | judgedEnd          | ended                    | end failed
        retry answer              | judgedAccept       | at retry answer          | accept response
        retry answer              | judgedAsk          | at retry answer          | ask
        retry answer              | accepted           | at body                  | enter body
        retry answer while paused | judgedWait         | idle before backoff 9    | -
        retry answer while paused | judgedEnd          | ended                    | end failed
        retry answer while paused | judgedAccept       | at retry answer          | accept response
        retry answer while paused | judgedAsk          | at retry answer          | ask
        retry answer while paused | accepted           | at body                  | enter body
        body                      | bodyWritten        | ended                    | end complete
        body while paused         | bodyWritten        | ended                    | end complete
        """)

    private static func rows(_ text: String) -> [Row] {
        text.split(separator: "\n").map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(situation: cells[0], event: cells[1], state: cells[2], effect: cells[3] == "-" ? nil : cells[3])
        }
    }

    /// A verdict that asks the retry block.
    private static let ask: RetryController.Verdict = {
        let controller = RetryController(.standard, RetryWaits(NetworkTimers(movedBy: .system)))
        let failed = FailedAttempt(number: 1, method: "GET", end: .error(.connectionLost, nil))
        return controller.judge(failed, error, isResponse: false, to: nil, timeLeft: nil, hasBlock: true)
    }()

    static func machine(in situation: String) -> RequestMachine {
        var machine = RequestMachine()
        for name in paths[situation] ?? [] { _ = machine.handle(event(name)) }
        return machine
    }

    static func event(_ name: String) -> RequestMachine.Event { events.first { $0.name == name }!.event }
}

extension RequestMachineTests {
    @Test func tableNamesKnownSituationsAndEventsOnce() {
        #expect(Set(Self.table.map(\.situation)).isSubset(of: Set(Self.paths.keys)))
        #expect(Set(Self.table.map(\.event)).isSubset(of: Set(Self.events.map(\.name))))
        #expect(Set(Self.table.map { "\($0.situation) \($0.event)" }).count == Self.table.count)
    }

    @Test(arguments: paths.keys.sorted()) func eventLeadsToStateAndEffectOfTable(situation: String) {
        let before = Self.machine(in: situation)
        for (name, event) in Self.events {
            var machine = before
            let effect = machine.handle(event)
            let row = Self.table.first { $0.situation == situation && $0.event == name }
            let ends = name == "fail" && situation != "ended"
            let state = ends ? "ended" : row?.state ?? before.state.words
            #expect(machine.state.words == state, "\(situation), \(name)")
            #expect(effect?.words == (ends ? "end failed" : row?.effect), "\(situation), \(name)")
            let isPaused = name.hasPrefix("pause") || (before.isPaused && name != "begin")
            #expect(machine.isPaused == isPaused, "\(situation), \(name)")
        }
    }

    @Test func situationsAreDistinct() {
        let found = Self.paths.keys.map { name in
            let machine = Self.machine(in: name)
            return "\(machine.state.words) \(machine.isPaused)"
        }
        #expect(Set(found).count == Self.paths.count)
    }

    @Test func requestWithoutAdaptersAndRetriesSkipsStages() {
        var machine = RequestMachine()
        for name in ["begin"] { _ = machine.handle(Self.event(name)) }
        _ = machine.handle(.prepared(isAdapted: false, isRetried: false, isCached: false))
        for name in ["notCached", "reachable", "granted", "adapted"] { _ = machine.handle(Self.event(name)) }
        var other = machine
        #expect(other.handle(.descriptorsMissing)?.words == "enter connectivity")
        #expect(machine.handle(.opened)?.words == "enter hop")
        other = machine
        #expect(other.handle(Self.event("another"))?.words == "enter connectivity")
        #expect(machine.handle(Self.event("failed"))?.words == "end failed")
    }

    @Test func redirectIsLookedUpInTheCache() {
        var machine = RequestMachine()
        _ = machine.handle(.begin)
        _ = machine.handle(.prepared(isAdapted: true, isRetried: false, isCached: true))
        for name in ["notCached", "reachable", "granted", "adapted", "opened"] { _ = machine.handle(Self.event(name)) }
        #expect(machine.handle(Self.event("another"))?.words == "enter cache")
    }

    @Test func endIsReportedExactlyOnce() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var machine = RequestMachine()
            var (ends, names) = (0, [String]())
            for _ in 0..<60 {
                let (name, event) = Self.events.randomElement(using: &random)!
                names.append(name)
                if case .end? = machine.handle(event) { ends += 1 }
            }
            if case .end? = machine.handle(.fail(Self.error)) { ends += 1 }
            #expect(ends == 1 && machine.state == .ended, "\(names)")
        }
    }

    @Test func endOfEarlierWorkIsNotCurrent() {
        var machine = Self.machine(in: "adaptation")
        let first = machine.work
        #expect(machine.isCurrent(first))
        for name in ["pause", "begin", "reachable"] { _ = machine.handle(Self.event(name)) }
        #expect(!machine.isCurrent(first))
        _ = machine.handle(.granted)
        #expect(!machine.isCurrent(first) && machine.isCurrent(machine.work))
        _ = machine.handle(.credentialNeeded)
        #expect(machine.isCurrent(machine.work))
        _ = machine.handle(.credentialReady)
        #expect(!machine.isCurrent(machine.work))
    }

    @Test func queriesFollowFromTheState() {
        func situations(where holds: (RequestMachine) -> Bool) -> Set<String> {
            Set(Self.paths.keys.filter { holds(Self.machine(in: $0)) })
        }
        #expect(situations { $0.awaitsSlot } == ["admission", "transfer queued"])
        #expect(
            situations { $0.openingOrigin == Self.origin } == ["files", "stored files", "stored files while paused"])
        #expect(
            situations { $0.isParked } == [
                "idle before backoff", "idle before cache", "idle before connectivity", "idle before credential",
                "idle before stored", "transfer paused",
            ])
        // The paths to the first stages contain no transfer.
        #expect(
            situations { $0.isUnderWay } == [
                "adaptation", "answer", "answer while paused", "backoff", "body", "body while paused", "ended", "files",
                "hop", "retry answer", "retry answer while paused", "stored", "stored files",
                "stored files while paused",
                "stored while paused", "transfer queued",
            ])
        var later = Self.machine(in: "hop")
        _ = later.handle(Self.event("another"))
        #expect(later.isUnderWay)
    }

    @Test func waitReasonFollowsFromTheState() {
        let reasons = Self.paths.keys.reduce(into: [String: RequestMachine.Wait]()) {
            $0[$1] = Self.machine(in: $1).waitReason
        }
        #expect(
            reasons == [
                "connectivity": .network, "credential": .credential, "admission": .slot(Self.origin),
                "adaptation": .adapter,
                "transfer queued": .slot(Self.origin), "answer": .block, "answer while paused": .block,
                "retry answer": .block, "retry answer while paused": .block, "backoff": .retry(at: 9),
                "body": .writing, "body while paused": .writing, "coalescing": .flight,
            ])
    }
}

// MARK: - Words of the table

extension RequestStage {
    fileprivate var words: String {
        switch self {
        case .prepare: "prepare"
        case .cache: "cache"
        case .coalescing: "coalescing"
        case .storedFiles: "stored files"
        case .stored: "stored"
        case .connectivity: "connectivity"
        case .credential: "credential"
        case .admission: "admission"
        case .adaptation: "adaptation"
        case .files: "files"
        case .hop: "hop"
        case .answer: "answer"
        case .retryAnswer: "retry answer"
        case .backoff(let instant): "backoff \(instant)"
        case .body: "body"
        }
    }
}

extension RequestMachine.State {
    fileprivate var words: String {
        switch self {
        case .idle(let stage): "idle before \(stage.words)"
        case .at(let stage): "at \(stage.words)"
        case .transferPaused: "transfer paused"
        case .transferQueued: "transfer queued"
        case .ended: "ended"
        }
    }
}

extension RequestMachine.Effect {
    fileprivate var words: String {
        switch self {
        case .enter(let stage): "enter \(stage.words)"
        case .interrupt: "interrupt"
        case .pauseTransfer: "pause transfer"
        case .queueTransfer: "queue transfer"
        case .dequeueTransfer: "dequeue transfer"
        case .resumeTransfer: "resume transfer"
        case .judge(let error, _): error == nil ? "judge response" : "judge error"
        case .ask: "ask"
        case .acceptResponse: "accept response"
        case .end(.complete): "end complete"
        case .end(.failed): "end failed"
        }
    }
}
