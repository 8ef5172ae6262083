// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The state machine of one operation: a value without a clock, thread, transport or callback.
///
/// The owner applies an event and then carries out its effect, if there is one, in order on the network thread. The
/// operation's runner reports `ended` exactly once for an operation that began, whatever the order of other events. The
/// only stale events are therefore events after the end, which have no effect.
struct OperationLifecycle: Equatable {
    /// The states of an operation.
    enum State: Equatable, CaseIterable {
        /// Not started, or resumed before the start.
        case ready
        /// Waiting for admission, sending or receiving, or ending after a cancellation.
        case executing
        /// Paused before the start: after `resume`, the queue has to start the operation.
        case pausedBeforeStart
        /// Paused after the start: the operation continues when it is resumed.
        case paused
        /// The transfer has ended; the response is being validated and serialized.
        case processing
        case finished
    }

    /// The events that change the state.
    enum Event: CaseIterable {
        case start, pause, resume, cancel
        /// A dependency did not succeed: the operation ends without being started.
        case skip
        /// The runner has finished its work: the transfer succeeded, failed or was aborted.
        case ended
        /// The response was validated and serialized.
        case processed
    }

    /// The effects that the owner carries out.
    enum Effect: Equatable {
        /// Begin, or continue after `pause`: through admission.
        case begin
        /// Pause, and keep the bytes that arrived.
        case pause
        /// End permanently.
        case abort
        /// Validate and serialize, off the network thread.
        case process
    }

    private(set) var state = State.ready
    private(set) var isCancelled = false

    /// Applies `event`. The caller then carries out the effect.
    mutating func handle(_ event: Event) -> Effect? {
        switch (state, event) {
        case (.ready, .start):
            state = isCancelled ? .processing : .executing
            return isCancelled ? .process : .begin  // a cancelled operation never uses the network
        case (.ready, .pause):
            guard !isCancelled else { return nil }
            state = .pausedBeforeStart
            return nil
        case (.ready, .cancel):
            isCancelled = true  // the operation finishes when its queue starts it
            return nil
        case (.ready, .skip), (.pausedBeforeStart, .skip):  // paused: its queue chose it earlier; nothing is sent
            state = .processing
            return .process

        case (.executing, .pause):
            guard !isCancelled else { return nil }
            state = .paused
            return .pause
        case (.executing, .cancel):
            guard !isCancelled else { return nil }
            isCancelled = true
            return .abort
        case (.executing, .ended), (.paused, .ended):  // paused: the end overtook the pause
            state = .processing
            return .process

        case (.pausedBeforeStart, .start):
            state = .paused  // a queue chose it before the pause: resuming starts it
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
            preconditionFailure("an operation ended that was not running")
        case (.ready, .processed), (.executing, .processed), (.pausedBeforeStart, .processed), (.paused, .processed):
            preconditionFailure("a response was processed before its transfer ended")
        case (.finished, _):
            return nil  // late events are normal and have no effect
        }
    }
}

extension OperationLifecycle {
    var isExecuting: Bool { state == .executing || state == .processing }
    var isPaused: Bool { state == .paused || state == .pausedBeforeStart }
    var isFinished: Bool { state == .finished }
    var wasStarted: Bool { isExecuting || state == .paused }
    var isBeforeStart: Bool { state == .ready || state == .pausedBeforeStart }

    /// Whether the operation may be started.
    ///
    /// - Parameter isWaiting: whether a dependency is unfinished.
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
