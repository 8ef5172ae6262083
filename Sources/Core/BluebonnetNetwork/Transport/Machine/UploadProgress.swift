// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Tracks how much of a request's body has been sent.
package struct UploadProgress {
    /// The offset at which libcurl reads next.
    package private(set) var readByteCount: Int64 = 0
    /// Whether no bytes were available at libcurl's last read.
    private(set) var isStalled = false
    /// Whether libcurl has read the end of the body.
    private var hasEnded = false
    /// The number of sent bytes that were reported to the delegate.
    private var reportedByteCount: Int64 = 0

    /// Records the result of a read by libcurl.
    mutating func recordRead(_ piece: TransferBody.Piece) {
        isStalled = piece == .wouldBlock
        guard case .bytes(let count) = piece else { return }
        hasEnded = count == 0
        readByteCount += Int64(count)
    }

    /// Records that libcurl continues reading at `offset`.
    mutating func seek(to offset: Int64) {
        (readByteCount, isStalled, hasEnded) = (offset, false, false)
    }

    /// Returns the number of sent bytes that the delegate does not know of, and marks them as reported.
    ///
    /// - Parameter byteCount: the number of bytes sent since the start of the body.
    mutating func consumeUnreportedByteCount(ofSent byteCount: Int64) -> Int {
        let delta = max(0, byteCount - reportedByteCount)
        reportedByteCount += delta
        return Int(delta)
    }

    /// Returns whether libcurl has read the last byte, or the end of a body whose length was not known.
    ///
    /// - Parameter byteCount: the length of the body; nil if it is not known before the end.
    func isHandedOver(of byteCount: Int64?) -> Bool { byteCount.map { readByteCount >= $0 } ?? hasEnded }

    /// - Parameters:
    ///   - byteCount: the length of the body; nil if it is not known before the end.
    ///   - sentByteCount: the number of bytes sent.
    func isWholeBodySent(of byteCount: Int64?, _ sentByteCount: @autoclosure () -> Int64) -> Bool {
        guard let byteCount else { return hasEnded }
        return sentByteCount() == byteCount
    }
}

/// Decides when to end a transfer over HTTP/2 whose response is complete while the request's body is still being sent
/// (RFC 9113, 8.1): at once if the server has closed the stream, else when the body has stopped moving. libcurl would
/// wait until the server accepts the rest of the body.
struct EarlyEnd {
    /// How long to wait for a body that does not move, in nanoseconds.
    static let patience: UInt64 = 1_000_000_000
    /// Whether the server has ended the response.
    private(set) var isPossible = false
    private var sentByteCount: Int64 = -1
    /// Whether the server has closed the stream.
    private(set) var isStreamClosed = false
    /// The instant at which to call `checkDue`; `UInt64.max` is never.
    private(set) var nextLook = UInt64.max

    /// Records that the server has ended the response.
    mutating func streamHasEnded() { (isPossible, nextLook) = (true, 1) }

    /// Records that the server has closed the stream after the end of the response.
    mutating func streamWasClosed() { (isStreamClosed, nextLook) = (isPossible, isPossible ? 1 : .max) }

    /// Schedules a check, because more of the response was delivered.
    mutating func lookSoon() { if isPossible { nextLook = 1 } }

    /// Stops checking: libcurl ends the transfer.
    mutating func giveUp() { self = EarlyEnd() }

    /// Returns whether to end the transfer without waiting for the rest of the body.
    ///
    /// - Parameters:
    ///   - isComplete: whether the whole response was delivered.
    ///   - byteCount: the number of body bytes sent.
    mutating func checkDue(now: UInt64, isComplete: Bool, sentByteCount byteCount: Int64) -> Bool {
        guard isPossible, now >= nextLook else { return false }
        if isComplete, isStreamClosed { return true }
        let hasMoved = byteCount > sentByteCount
        if isComplete, !hasMoved { return true }
        nextLook = now + Self.patience
        if isComplete { sentByteCount = byteCount }
        return false
    }
}

extension TransferMachine {
    /// Whether libcurl receives bytes of the request's body.
    enum BodySupply {
        case open
        /// Rate-limited: no bytes are expected to move.
        case rateLimited
        /// libcurl reads no further, because the server has responded.
        case givenUp
    }
}

/// The parts of the request that the delegate knows as sent on the current connection.
struct SentReports {
    var hasHead = false
    /// Of a body whose length was not known.
    var hasEnd = false
}
