// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP

/// What becomes of a line when the run of its batch begins, by what the journal knows of it. It knows no store.
enum ReopeningStep: Equatable {
    /// The line runs. A download into a file goes on where the partial file beside it ends.
    case start
    /// The line runs again, although it may have been sent: it is safe to repeat, or the caller wants it.
    case startAgain
    /// The line has its outcome: its result is delivered, and nothing is sent.
    case deliver(JournalRecord.Ending)
    /// The line may have been sent, and is not sent again: its outcome is unknown.
    case reportUnknown

    /// - Parameters:
    ///   - state: what the journal has; nil when there is no record.
    ///   - isRepeatable: whether the line is safe, or has an `Idempotency-Key`.
    ///   - resendsUnsafe: whether the caller wants unsafe lines sent again.
    init(_ state: JournalRecord.State?, isRepeatable: @autoclosure () -> Bool, resendsUnsafe: Bool) {
        switch state {
        case nil, .waiting?: self = .start
        case .mayHaveBeenSent?: self = resendsUnsafe || isRepeatable() ? .startAgain : .reportUnknown
        // What it needed may succeed this time: another run may send again what was not known.
        case .ended(let ending)? where ending.outcome == .skipped: self = .start
        // No store is told of such an outcome; one that has it lost nothing but the distinction.
        case .ended(let ending)? where ending.outcome == .unknown:
            self = resendsUnsafe || isRepeatable() ? .startAgain : .reportUnknown
        case .ended(let ending)?: self = .deliver(ending)
        }
    }
}

extension RequestLine {
    /// Methods whose requests ask the server for nothing but an answer (RFC 9110, 9.2.1).
    private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// Whether the server is asked to change nothing. A method that is a reference is taken for an unsafe one.
    package var isSafe: Bool { Self.safeMethods.contains(method) }

    /// Whether the server can tell a repetition from another request.
    package var hasIdempotencyKey: Bool {
        switch idempotencyKey {
        case .automatic?: true
        case .value(let text)?: !FieldSyntax.isBlank(text)
        case nil: headers.hasIdempotencyKey
        }
    }
}
