// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch

/// The state of a journal's batch.
public struct JournalSummary: Sendable, Hashable {
    /// The batch.
    public var batch: JournalBatch
    /// The number of ended lines by outcome.
    public var counts: [ResultLine.Outcome: Int]
    /// The number of lines that may have been sent and whose outcome is not known.
    public var mayHaveBeenSentCount: Int
    /// The bytes of the bodies of all ended lines.
    public var byteCount: Int

    /// Creates a summary. Custom stores need this initializer.
    public init(
        batch: JournalBatch, counts: [ResultLine.Outcome: Int] = [:], mayHaveBeenSentCount: Int = 0, byteCount: Int = 0
    ) {
        (self.batch, self.counts) = (batch, counts)
        (self.mayHaveBeenSentCount, self.byteCount) = (mayHaveBeenSentCount, byteCount)
    }

    /// The number of lines that have an outcome.
    public var endedCount: Int { counts.values.reduce(0, +) }

    /// The number of lines that were not sent yet; nil if the number of lines is not known.
    public var waitingCount: Int? { batch.lineCount.map { max(0, $0 - endedCount - mayHaveBeenSentCount) } }
}
