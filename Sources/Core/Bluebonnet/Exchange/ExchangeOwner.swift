// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The interface of an exchange to its operation. Any thread, but for `handle(_:)`.
protocol ExchangeOwner: AnyObject, Sendable {
    /// Reports sent bytes, the sent total, and the expected total; -1 when it is not known.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// Reports received bytes, the received total, and the expected total; -1 when it is not known.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64)
    /// Notes the head of the response that is the result, before its body; again when another response takes its place.
    func noteHead(_ head: ResponseHead)
    /// Network thread only.
    func handle(_ event: ExchangeEvent)
}

/// An event of an exchange that its operation's runner takes.
enum ExchangeEvent: Sendable {
    /// The transfer continues on another connection.
    case newConnection(after: TransferMetrics)
    case transferEnded(NetworkingError?, TransferMetrics)
    /// A full sink has room again.
    case roomAppeared
    /// Nobody takes the body any more.
    case consumerLeft
    /// A block of the user has answered.
    case answered(ExchangeQuestions.Answer, question: Int)
}
