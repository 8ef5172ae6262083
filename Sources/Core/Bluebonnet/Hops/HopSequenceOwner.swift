// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The interface of a hop sequence to its operation. Any thread, except `handle(_:)`.
protocol HopSequenceOwner: AnyObject, Sendable {
    /// Reports sent bytes, the sent total, and the expected total; -1 if it is not known.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// Reports received bytes, the received total, and the expected total; -1 if it is not known.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// Receives the head of the response that is the result, before its body; again if another response replaces it.
    func didReceiveHead(_ head: ResponseHead)
    /// Network thread only.
    func handle(_ event: HopSequenceEvent)
}

/// An event of a hop sequence for its operation's runner.
enum HopSequenceEvent: Sendable {
    /// The transfer continues on another connection.
    case newConnection(after: TransferMetrics)
    case transferEnded(NetworkingError?, TransferMetrics)
    /// A full sink accepts bytes again.
    case sinkBecameWritable
    /// The consumer of the body has stopped or failed.
    case consumerCancelled
    /// A block of the program has answered.
    case answered(HopQuestions.Answer, question: Int)
}
