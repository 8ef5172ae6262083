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
    /// The bytes of the bodies of all ended lines, and of their pages and elements.
    public var byteCount: Int
    /// The number of ended parts of lines by outcome. The parts are pages, elements and items of streams. A line has
    /// its outcome after its parts.
    public var partCounts: [ResultLine.Outcome: Int] = [:]
    /// The number of parts that may have been sent and whose outcome is not known.
    public var partsMayHaveBeenSentCount = 0

    /// Creates a summary without parts. Custom stores need this initializer.
    public init(
        batch: JournalBatch, counts: [ResultLine.Outcome: Int] = [:], mayHaveBeenSentCount: Int = 0, byteCount: Int = 0
    ) {
        (self.batch, self.counts) = (batch, counts)
        (self.mayHaveBeenSentCount, self.byteCount) = (mayHaveBeenSentCount, byteCount)
    }

    /// The number of lines that have an outcome.
    public var endedCount: Int { counts.values.reduce(0, +) }

    /// The number of parts that have an outcome.
    public var endedPartCount: Int { partCounts.values.reduce(0, +) }

    /// The number of lines that were not sent yet, or whose parts have not all ended; nil if the number of lines is not
    /// known.
    public var waitingCount: Int? { batch.lineCount.map { max(0, $0 - endedCount - mayHaveBeenSentCount) } }
}
