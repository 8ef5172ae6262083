// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Records the longest turn of an event loop, with its longest step. Reads no clock: the event loop passes the time, in
/// nanoseconds of `MonotonicClock`.
struct TurnRecorder {
    /// The code that a step runs.
    package enum Source {
        /// A closure submitted by this file.
        case file(StaticString)
        /// A method of an object of this type.
        case type(Any.Type)

        fileprivate var name: String {
            switch self {
            case .file(let file): "\(file)"
            case .type(let type): "\(type)"
            }
        }
    }

    /// A step of a turn.
    private struct Step {
        let stage: StaticString
        let source: Source
        let began: UInt64
    }

    private(set) var longest: NetworkThread.Turn?
    private var longestTime: UInt64 = 0
    private var hasNewLongest = false
    private var turnBegan: UInt64 = 0
    private var step: Step?
    private var longestStep: (step: Step, time: UInt64)?

    mutating func turnBegins(now: UInt64) { (turnBegan, step, longestStep) = (now, nil, nil) }

    /// Begins a step, and ends the previous one.
    mutating func stepBegins(_ stage: StaticString, _ source: Source, now: UInt64) {
        endStep(now: now)
        step = Step(stage: stage, source: source, began: now)
    }

    mutating func turnEnds(now: UInt64) {
        endStep(now: now)
        let time = now - turnBegan
        guard let longestStep, time > longestTime else { return }
        (longestTime, hasNewLongest) = (time, true)
        longest = NetworkThread.Turn(
            duration: .nanoseconds(time), stage: "\(longestStep.step.stage)", source: longestStep.step.source.name,
            stageDuration: .nanoseconds(longestStep.time))
    }

    /// Returns the longest turn; nil if no longer turn was recorded since the last call.
    mutating func newLongest() -> NetworkThread.Turn? {
        guard hasNewLongest else { return nil }
        hasNewLongest = false
        return longest
    }

    /// Starts a new record.
    mutating func forget() { (longest, longestTime, hasNewLongest) = (nil, 0, false) }

    private mutating func endStep(now: UInt64) {
        guard let step else { return }
        let time = now - step.began
        if time >= longestStep?.time ?? 0 { longestStep = (step, time) }
        self.step = nil
    }
}
