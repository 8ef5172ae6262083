// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
public import Foundation

/// The state of one line of a batch in the journal. A line without a known state has no record.
public struct JournalRecord: Sendable, Hashable {
    /// How far the line has come.
    public enum State: Sendable, Hashable {
        /// The line was not sent. This is equivalent to no record.
        case waiting
        /// The line may have been sent, and its outcome is not known.
        case mayHaveBeenSent
        /// The line has its outcome.
        case ended(Ending)
    }

    /// The outcome of a line.
    public struct Ending: Sendable, Hashable {
        /// How the operation ended.
        public var outcome: ResultLine.Outcome
        /// The bytes of the body that was delivered or stored.
        public var byteCount: Int
        /// The encoded result line with its line break.
        public var line: Data
        /// The body, if other lines refer to it and `line` does not contain it as text.
        public var referencedBody: Data?
        /// The facts in the response about the rest of the run: the next page, and values for the state file. Nil
        /// without such facts.
        public var findings: Data?

        /// Creates an outcome.
        public init(
            outcome: ResultLine.Outcome, byteCount: Int, line: Data, referencedBody: Data? = nil, findings: Data? = nil
        ) {
            (self.outcome, self.byteCount, self.line) = (outcome, byteCount, line)
            (self.referencedBody, self.findings) = (referencedBody, findings)
        }
    }

    /// The position of the line in the batch, from 0, in an order in which dependencies come first.
    public var position: Int
    /// The line's id, or the id of its page or element.
    public var id: String
    /// Whether the record is of a page or an element of the line. The store finds it by its id.
    public var isPart = false
    /// How far the line has come.
    public var state: State
    /// The digest of the line, if the batch's lines are not known beforehand; otherwise nil.
    public var fingerprint: String?

    /// Creates a record.
    public init(position: Int, id: String, state: State, fingerprint: String? = nil, isPart: Bool = false) {
        (self.position, self.id, self.state, self.fingerprint) = (position, id, state, fingerprint)
        self.isPart = isPart
    }
}

extension ResultLine {
    /// Decodes a line that `encodedLine()` has written.
    init(encodedLine line: Data) throws { self = try JSONDecoder().decode(ResultLine.self, from: line) }
}

extension JournalRecord.Ending {
    /// The bytes of the record's data in memory.
    var retainedByteCount: Int { line.count + (referencedBody?.count ?? 0) + (findings?.count ?? 0) }

    /// Decodes the result from the result line.
    ///
    /// - Throws: `damaged` if the line cannot be decoded.
    public func result() throws(JournalError) -> ResultLine {
        do {
            return try ResultLine(encodedLine: line)
        } catch {
            throw JournalError(
                .damaged, "the journal has a result line that cannot be read", underlying: String(describing: error))
        }
    }
}
