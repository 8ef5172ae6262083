// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP

/// The first step of a line when the run of its batch begins, by the line's record. It knows no store.
enum ReopeningStep: Equatable {
    /// The line runs. A download into a file continues where its partial file ends.
    case start
    /// The line runs again, although it may have been sent: it is safe to repeat, or the caller wants it.
    case startAgain
    /// The line has its outcome: its result is delivered, and nothing is sent.
    case deliver(JournalRecord.Ending)
    /// The line may have been sent, and is not sent again: its outcome is unknown.
    case reportUnknown
    /// The line succeeded, the file that it wrote is lost, and it is not sent again: it has failed.
    case reportLostOutput

    /// - Parameters:
    ///   - state: what the journal has; nil when there is no record.
    ///   - isRepeatable: whether the line is safe, or has an `Idempotency-Key`.
    ///   - options: what the caller wants.
    ///   - hasOutput: whether the file that the line wrote is there, if it wrote one.
    init(
        _ state: JournalRecord.State?, isRepeatable: @autoclosure () -> Bool, options: OpenedJournal.Options,
        hasOutput: @autoclosure () -> Bool = true
    ) {
        let resendsUnsafe = options.resendsUnsafe
        switch state {
        case nil, .waiting?: self = .start
        case .mayHaveBeenSent?: self = resendsUnsafe || isRepeatable() ? .startAgain : .reportUnknown
        // What it needed may succeed this time: another run may send again what was not known.
        case .ended(let ending)? where ending.outcome == .skipped: self = .start
        // No store is told of such an outcome; one that has it lost nothing but the distinction.
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

extension RequestLine {
    /// Methods whose requests ask the server for nothing but an answer (RFC 9110, 9.2.1).
    private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// Whether the server is asked to change nothing. A method that is a reference is taken for an unsafe one.
    package var isSafe: Bool { Self.safeMethods.contains(method) }

    /// Whether the server can recognize a repetition of the request.
    package var hasIdempotencyKey: Bool {
        switch idempotencyKey {
        case .automatic?: true
        case .value(let text)?: !FieldSyntax.isBlank(text)
        case nil: headers.hasIdempotencyKey
        }
    }
}
