// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// A journal's knowledge of one line of its batch. A line of which nothing is known has no record.
public struct JournalRecord: Sendable, Hashable {
    /// How far the line has come.
    public enum State: Sendable, Hashable {
        /// It was not sent: as if there were no record.
        case waiting
        /// It may have been sent, and its outcome is not known.
        case mayHaveBeenSent
        /// It has its outcome.
        case ended(Ending)
    }

    /// The outcome of a line.
    public struct Ending: Sendable, Hashable {
        /// How the operation ended.
        public var outcome: ResultLine.Outcome
        /// The bytes of the body that was delivered or stored.
        public var byteCount: Int
        /// The result line as it is written, with its line end.
        public var line: Data
        /// The body, where other lines refer to it and `line` does not have it as text.
        public var referencedBody: Data?

        /// Makes an outcome.
        public init(outcome: ResultLine.Outcome, byteCount: Int, line: Data, referencedBody: Data? = nil) {
            (self.outcome, self.byteCount, self.line) = (outcome, byteCount, line)
            self.referencedBody = referencedBody
        }
    }

    /// The place of the line in the batch, from 0, in an order in which dependencies come first.
    public var position: Int
    /// The line's id.
    public var id: String
    /// How far the line has come.
    public var state: State
    /// The digest of the line, where the batch's lines are not known beforehand; else nil.
    public var fingerprint: String?

    /// Makes a record.
    public init(position: Int, id: String, state: State, fingerprint: String? = nil) {
        (self.position, self.id, self.state, self.fingerprint) = (position, id, state, fingerprint)
    }
}

extension ResultLine {
    /// Reads a line as `encodedLine()` writes it.
    init(encodedLine line: Data) throws { self = try JSONDecoder().decode(ResultLine.self, from: line) }
}

extension JournalRecord.Ending {
    /// The bytes that the record holds in memory.
    var heldByteCount: Int { line.count + (referencedBody?.count ?? 0) }

    /// The result, read from its line.
    ///
    /// - Throws: `damaged` when the line is none.
    public func result() throws(JournalError) -> ResultLine {
        do {
            return try ResultLine(encodedLine: line)
        } catch {
            throw JournalError(
                .damaged, "the journal has a result line that cannot be read", underlying: String(describing: error))
        }
    }
}
