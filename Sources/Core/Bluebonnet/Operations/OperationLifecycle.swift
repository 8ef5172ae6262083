// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The state machine of one operation: a value with no clock, thread, transport or callback.
///
/// The owner applies an event and then carries out its effect, if there is one, in order on the network thread. The
/// operation's runner reports `ended` exactly once for an operation that began, whatever the order of other events. So
/// the only stale events come after the end, and have no effect.
struct OperationLifecycle: Equatable {
    enum State: Equatable, CaseIterable {
        /// Not started, or resumed before it was started.
        case ready
        /// Waiting for admission, on the wire, or on its way to the end after a cancel.
        case executing
        /// Paused before it was started: its queue has to start it once it is resumed.
        case pausedBeforeStart
        /// Paused after it was started: it goes on when it is resumed.
        case paused
        /// The transfer has ended; the response is being validated and serialized.
        case processing
        case finished
    }

    enum Event: CaseIterable {
        case start, pause, resume, cancel
        /// What the operation needed did not succeed: it ends without being started.
        case skip
        /// The runner has nothing more to do: the transfer succeeded, failed or was stopped for good.
        case ended
        /// The response was validated and serialized.
        case processed
    }

    enum Effect: Equatable {
        /// Begin, or go on after `hold`: through admission.
        case begin
        /// Stop for a while, keeping what arrived.
        case hold
        /// Stop for good.
        case abort
        /// Validate and serialize, off the network thread.
        case process
    }

    private(set) var state = State.ready
    private(set) var isCancelled = false

    /// Applies `event`; the caller then carries out the effect.
    mutating func handle(_ event: Event) -> Effect? {
        switch (state, event) {
        case (.ready, .start):
            state = isCancelled ? .processing : .executing
            return isCancelled ? .process : .begin  // a cancelled one never touches the network
        case (.ready, .pause):
            guard !isCancelled else { return nil }
            state = .pausedBeforeStart
            return nil
        case (.ready, .cancel):
            isCancelled = true  // finishes when its queue starts it
            return nil
        case (.ready, .skip), (.pausedBeforeStart, .skip):  // paused: its queue chose it before, and nothing is sent
            state = .processing
            return .process

        case (.executing, .pause):
            guard !isCancelled else { return nil }
            state = .paused
            return .hold
        case (.executing, .cancel):
            guard !isCancelled else { return nil }
            isCancelled = true
            return .abort
        case (.executing, .ended), (.paused, .ended):  // paused: the end overtook the pause, and wins
            state = .processing
            return .process

        case (.pausedBeforeStart, .start):
            state = .paused  // a queue chose it before it was paused: resuming starts it
            return nil
        case (.pausedBeforeStart, .resume):
            state = .ready
            return nil
        case (.pausedBeforeStart, .cancel):
            isCancelled = true
            state = .ready
            return nil

        case (.paused, .resume):
            state = .executing
            return .begin
        case (.paused, .cancel):
            isCancelled = true
            state = .executing
            return .abort

        case (.processing, .cancel):
            isCancelled = true  // too late to change the outcome
            return nil
        case (.processing, .processed):
            state = .finished
            return nil

        case (.ready, .resume), (.executing, .start), (.executing, .resume), (.pausedBeforeStart, .pause),
            (.paused, .start), (.paused, .pause), (.processing, .start), (.processing, .pause),
            (.processing, .resume), (.executing, .skip), (.paused, .skip), (.processing, .skip):
            return nil
        case (.ready, .ended), (.pausedBeforeStart, .ended), (.processing, .ended):
            preconditionFailure("an operation ended that was not under way")
        case (.ready, .processed), (.executing, .processed), (.pausedBeforeStart, .processed), (.paused, .processed):
            preconditionFailure("a response was processed before its transfer ended")
        case (.finished, _):
            return nil  // late events are normal; nothing about a finished operation changes
        }
    }
}

extension OperationLifecycle {
    var isExecuting: Bool { state == .executing || state == .processing }
    var isPaused: Bool { state == .paused || state == .pausedBeforeStart }
    var isFinished: Bool { state == .finished }
    var wasStarted: Bool { isExecuting || state == .paused }
    var isBeforeStart: Bool { state == .ready || state == .pausedBeforeStart }

    /// Whether it may be started, when nothing it depends on is unfinished.
    func isReady(isWaiting: Bool) -> Bool { state == .ready && (isCancelled || !isWaiting) }

    /// The name of the state, for descriptions.
    var stateName: String {
        switch state {
        case .ready: "ready"
        case .executing, .processing: "executing"
        case .pausedBeforeStart, .paused: "paused"
        case .finished: "finished"
        }
    }
}
