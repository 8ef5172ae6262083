// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The state machine of one request, from its preparation to its end: a value without a clock, thread, socket or
/// callback.
///
/// The runner applies an event and carries out the effect. An effect that is done at once ends with the next event.
/// Late events have no effect, and no event is an error. Large and rare payloads are indirect, because every request
/// moves a dozen events and effects.
struct RequestMachine {
    /// The states of a request.
    enum State: Equatable {
        /// Not begun, or paused: the request continues with this stage.
        case idle(next: RequestStage)
        /// The work of the stage is running.
        case at(RequestStage)
        /// Paused with an open connection, because a request with an unsafe method is never sent twice. The transfer
        /// has no slot.
        case transferPaused(Origin)
        /// Resumed; the transfer waits for a slot.
        case transferQueued(Origin)
        /// The request has ended, or is about to end: only its file is still being written.
        case ended
    }

    /// The events that change the state.
    enum Event {
        /// The operation was started or resumed.
        case begin
        /// - Parameter keepsTransfer: whether the transfer keeps its connection, because the request must not be sent
        ///   again.
        case pauseRequested(keepsTransfer: Bool)
        /// The operation was cancelled, or the work of the current stage has failed.
        case fail(NetworkingError)
        case priorityChanged
        /// The request was made and checked.
        case prepared(isAdapted: Bool, isRetried: Bool, isCached: Bool)
        /// A stored response answers the hop to an origin.
        case stored(Origin)
        case notCached
        /// An equal request is running.
        case inFlight
        /// The equal request has ended, and its response may be stored.
        case flightEnded
        /// The body of the stored response was read.
        case storedBodyRead
        /// The body of the stored response was lost.
        case storedBodyLost
        case reachable(Origin)
        /// No credential is needed, or there is a credential that the next transfer may use.
        case credentialReady
        case granted
        /// The governor has refused the transfer until an instant of the retries' clock.
        case refused(until: UInt64)
        /// The hop's request has its final form.
        case adapted
        /// An adapter has changed the origin.
        case originChanged
        case credentialNeeded
        /// The work of adapters or of a refresh has ended: see `isCurrent(_:)`.
        case workEnded
        case opened
        /// Files were opened for a hop that was paused, or whose origin has changed since.
        case openedForOtherHop
        /// The process has no file descriptor for the hop.
        case descriptorsMissing
        /// The transfer has ended, or a block of the program has answered after its end.
        case transferEnded(HopSequence.NextStep, DeliveryCertainty)
        /// - Parameter error: the error of the failed attempt; nil if a response was refused.
        indirect case judged(RetryController.Verdict, NetworkingError?)
        case retryDue
        /// The refused response is the result.
        case accepted
        case bodyWritten
    }

    /// The effects that the runner carries out.
    enum Effect {
        /// Do the work of the stage.
        case enter(RequestStage)
        /// Cancel the stage's work and release its slot. The received part of a body is kept.
        case interrupt
        /// Pause the transfer and release its slot.
        case pauseTransfer
        /// Wait for a slot for the paused transfer.
        case queueTransfer(Origin)
        /// Stop waiting for that slot.
        case dequeueTransfer
        /// Continue the paused transfer in its new slot.
        case resumeTransfer
        /// Decide whether the request is retried. The error is nil if a response was refused.
        case judge(NetworkingError?, DeliveryCertainty)
        /// Ask the retry block.
        indirect case ask(RetryController.Question)
        /// Make the refused response the result.
        case acceptResponse
        /// Cancel all work, and end.
        case end(End)
    }

    /// How a request ends.
    enum End {
        case complete
        case failed(NetworkingError)

        var error: NetworkingError? { if case .failed(let error) = self { error } else { nil } }
    }

    /// The reason why a request waits.
    enum Wait: Equatable {
        case network
        case credential
        case slot(Origin)
        /// An adapter that has not answered.
        case adapter
        /// A block of the program that has not answered.
        case block
        /// The next attempt, at an instant of the retries' clock.
        case retry(at: UInt64)
        /// The body is being written.
        case writing
        /// An equal request.
        case flight
    }

    private(set) var state = State.idle(next: .prepare)
    private(set) var isPaused = false
    /// Whether a transfer has begun.
    private(set) var wasAdmitted = false
    /// The number of the most recent work of the adapters or a refresh.
    private(set) var work = 0
    private var isAdapted = false
    private var isRetried = false
    private var isCached = false

    mutating func handle(_ event: Event) -> Effect? {
        switch event {
        case .begin: return begin()
        case .pauseRequested(let keepsTransfer): return handlePause(keepsTransfer)
        case .fail(let error): return end(.failed(error))
        default: break
        }
        switch state {
        case .idle, .ended: return nil
        case .at(let stage): return handle(event, at: stage)
        case .transferPaused, .transferQueued: return handleWithoutSlot(event)
        }
    }

    /// Whether this work of adapters or of a refresh is still wanted.
    func isCurrent(_ work: Int) -> Bool {
        switch state {
        case .at(.adaptation), .at(.credential): work == self.work
        default: false
        }
    }
}

// MARK: - Events

extension RequestMachine {
    private mutating func begin() -> Effect? {
        isPaused = false
        switch state {
        case .idle(let stage): return enter(stage)
        case .transferPaused(let origin):
            state = .transferQueued(origin)
            return .queueTransfer(origin)
        case .at, .transferQueued, .ended: return nil
        }
    }

    private mutating func handlePause(_ keepsTransfer: Bool) -> Effect? {
        isPaused = true
        switch state {
        case .at(.hop(let origin)) where keepsTransfer:
            state = .transferPaused(origin)
            return .pauseTransfer
        case .at(let stage):
            guard let next = stage.stageAfterPause else { return nil }
            state = .idle(next: next)
            return .interrupt
        case .transferQueued(let origin):
            state = .transferPaused(origin)
            return .dequeueTransfer
        case .idle, .transferPaused, .ended: return nil
        }
    }

    private mutating func handle(_ event: Event, at stage: RequestStage) -> Effect? {
        switch (stage, event) {
        case (.prepare, .prepared(let isAdapted, let isRetried, let isCached)):
            (self.isAdapted, self.isRetried, self.isCached) = (isAdapted, isRetried, isCached)
            return enter(.cache)
        case (.cache, .stored(let origin)), (.admission, .stored(let origin)), (.adaptation, .stored(let origin)):
            return enter(.storedFiles(origin))
        case (.cache, .notCached), (.coalescing, .notCached): return enter(.connectivity)
        case (.cache, .inFlight): return enter(.coalescing)
        case (.coalescing, .flightEnded): return enter(.cache)
        case (.storedFiles(let origin), .opened): return enter(.stored(origin))
        case (.storedFiles, .storedBodyLost): return nextHop()
        case (.connectivity, .reachable(let origin)): return enter(.admission(origin))
        case (.credential, .credentialReady): return enter(.connectivity)
        case (.admission(let origin), .granted): return enter(.adaptation(origin))
        case (.adaptation(let origin), .adapted): return enter(.files(origin))
        case (.adaptation, .originChanged): return enter(.connectivity)
        case (.adaptation, .credentialNeeded): return enter(.credential)
        case (.adaptation, .refused(let instant)): return enter(.backoff(until: instant))
        case (.files(let origin), .opened): return enter(.hop(origin))
        case (.files, .descriptorsMissing): return nextHop()
        case (.hop, .transferEnded(let step, let evidence)), (.answer, .transferEnded(let step, let evidence)),
            (.stored, .transferEnded(let step, let evidence)):
            return proceed(after: step, evidence)
        case (.retryAnswer, .judged(let verdict, let error)): return follow(verdict, error)
        case (.retryAnswer, .accepted): return enter(.body)
        case (.backoff, .retryDue): return enter(.connectivity)
        case (.body, .bodyWritten): return end(.complete)
        // The work was one part of the stage. Enter the stage again for the remaining parts.
        case (.adaptation, .workEnded), (.credential, .workEnded), (.files, .openedForOtherHop),
            (.storedFiles, .openedForOtherHop), (.storedFiles, .storedBodyRead):
            return enter(stage)
        // The lane in which the operation waits depends on its priority.
        case (.admission, .priorityChanged): return enter(stage)
        default: return nil
        }
    }

    private mutating func handleWithoutSlot(_ event: Event) -> Effect? {
        switch (state, event) {
        case (.transferQueued(let origin), .granted):
            state = .at(.hop(origin))
            return .resumeTransfer
        case (_, .transferEnded(let step, let evidence)): return proceed(after: step, evidence)  // the server ended it
        default: return nil
        }
    }
}

// MARK: - Steps

extension RequestMachine {
    private mutating func enter(_ stage: RequestStage) -> Effect? {
        if isPaused, stage != .body {
            state = .idle(next: stage)
            return nil
        }
        state = .at(stage)
        switch stage {
        case .hop: wasAdmitted = true
        case .adaptation, .credential: work += 1
        default: break
        }
        return .enter(stage)
    }

    private mutating func nextHop() -> Effect? { enter(isAdapted ? .credential : .connectivity) }

    private mutating func proceed(after step: HopSequence.NextStep, _ evidence: DeliveryCertainty) -> Effect? {
        switch step {
        case .complete: return enter(.body)
        case .another(let isRedirect): return isRedirect && isCached ? enter(.cache) : nextHop()
        case .stored(let origin): return enter(.storedFiles(origin))
        case .pending:
            state = .at(.answer)
            return nil
        case .failed(let error):
            guard isRetried else { return end(.failed(error)) }
            state = .at(.retryAnswer)
            return .judge(error, evidence)
        case .undecidedRetry:
            state = .at(.retryAnswer)
            return .judge(nil, evidence)
        }
    }

    private mutating func follow(_ verdict: RetryController.Verdict, _ error: NetworkingError?) -> Effect? {
        switch verdict {
        case .wait(let instant): return enter(.backoff(until: instant))
        case .ask(let question): return .ask(question)
        case .end: return error.map { end(.failed($0)) } ?? .acceptResponse
        }
    }

    private mutating func end(_ end: End) -> Effect? {
        if state == .ended { return nil }
        state = .ended
        return .end(end)
    }
}

// MARK: - Queries of the runner

extension RequestMachine {
    /// Whether the request is paused and keeps only the received bytes and possibly its connection.
    var isParked: Bool {
        switch state {
        case .idle, .transferPaused: isPaused
        case .at, .transferQueued, .ended: false
        }
    }

    /// The origin of the hop whose files the operation waits for.
    var openingOrigin: Origin? {
        switch state {
        case .at(.files(let origin)), .at(.storedFiles(let origin)): origin
        case .at, .idle, .transferPaused, .transferQueued, .ended: nil
        }
    }

    /// Whether the operation waits for a slot.
    var awaitsSlot: Bool {
        switch state {
        case .at(.admission), .transferQueued: true
        case .at, .idle, .transferPaused, .ended: false
        }
    }

    /// The reason why the request waits; nil if it waits only for its own work.
    var waitReason: Wait? {
        switch state {
        case .at(.connectivity): .network
        case .at(.credential): .credential
        case .at(.admission(let origin)), .transferQueued(let origin): .slot(origin)
        case .at(.adaptation): .adapter
        case .at(.answer), .at(.retryAnswer): .block
        case .at(.backoff(let instant)): .retry(at: instant)
        case .at(.body): .writing
        case .at(.coalescing): .flight
        case .at(.prepare), .at(.cache), .at(.storedFiles), .at(.stored), .at(.files), .at(.hop), .idle,
            .transferPaused, .ended:
            nil
        }
    }

    /// Returns the activity that the operation spends its time on; nil after its end.
    ///
    /// - Parameter isBackingOff: whether the next attempt follows a failed attempt. If not, the governor has refused
    ///   the transfer.
    func activity(isBackingOff: @autoclosure () -> Bool) -> TimeBudget.Activity? {
        switch state {
        case .ended: nil
        case .at(.hop): .transfer
        case .at(.admission), .transferQueued: .slot
        case .transferPaused: .share(.wait(.pause))
        case .idle: .share(isPaused ? .wait(.pause) : .phase(.preparation))
        case .at(.prepare), .at(.cache), .at(.storedFiles), .at(.stored), .at(.files): .share(.phase(.preparation))
        case .at(.coalescing): .share(.wait(.coalesced))
        case .at(.connectivity): .share(.wait(.connectivity))
        case .at(.credential): .share(.wait(.credential))
        case .at(.adaptation): .share(.wait(.adapter))
        case .at(.answer), .at(.retryAnswer): .share(.wait(.block))
        case .at(.backoff): .share(.wait(isBackingOff() ? .backoff : .hold))
        case .at(.body): .share(.wait(.writing))
        }
    }

    /// Whether the operation was admitted, and has neither ended nor been paused since.
    var isUnderWay: Bool {
        switch state {
        case .at(.connectivity), .at(.credential), .at(.admission): wasAdmitted
        case .at(.prepare), .at(.cache), .at(.coalescing), .idle, .transferPaused: false
        case .at, .transferQueued: true
        case .ended: true  // the file is still being written
        }
    }
}
