// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP

/// The first step of a line when the run of its batch begins, derived from the line's record. Uses no store.
enum ReopeningStep: Equatable {
    /// The line runs. A download into a file continues at the end of its partial file.
    case start
    /// The line runs again, although it may have been sent: it is safe to repeat, or the caller wants it.
    case startAgain
    /// The line has its outcome: its result is delivered, and nothing is sent.
    case deliver(JournalRecord.Ending)
    /// The line may have been sent, and is not sent again: its outcome is unknown.
    case reportUnknown
    /// The line has succeeded, but its output file is lost, and the line is not sent again: it has failed.
    case reportLostOutput

    /// - Parameters:
    ///   - state: the recorded state; nil without a record.
    ///   - isRepeatable: whether the line is safe, or has an `Idempotency-Key`.
    ///   - options: the options of the caller.
    ///   - hasOutput: whether the output file of the line exists, if the line has written one.
    init(
        _ state: JournalRecord.State?, isRepeatable: @autoclosure () -> Bool, options: OpenedJournal.Options,
        hasOutput: @autoclosure () -> Bool = true
    ) {
        let resendsUnsafe = options.resendsUnsafe
        switch state {
        case nil, .waiting?: self = .start
        case .mayHaveBeenSent?: self = resendsUnsafe || isRepeatable() ? .startAgain : .reportUnknown
        // The dependencies may succeed this time: another run may send lines of unknown outcome again.
        case .ended(let ending)? where ending.outcome == .skipped: self = .start
        // A run records no such outcome. A store that returns it has only lost the difference from `mayHaveBeenSent`.
        case .ended(let ending)? where ending.outcome == .unknown:
            self = resendsUnsafe || isRepeatable() ? .startAgain : .reportUnknown
        case .ended(let ending)?
        where options.retriesFailed && (ending.outcome == .failure || ending.outcome == .cancelled):
            self = .startAgain
        case .ended(let ending)? where ending.outcome == .success && !hasOutput():
            self = resendsUnsafe || isRepeatable() ? .startAgain : .reportLostOutput
        case .ended(let ending)?: self = .deliver(ending)
        }
    }
}
