// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How far the body of a request has left.
struct UploadProgress {
    /// Where libcurl goes on reading.
    private(set) var readByteCount: Int64 = 0
    /// Whether there were no bytes when libcurl asked last.
    private(set) var isDry = false
    /// Whether libcurl has seen the end.
    private var hasEnded = false
    /// What has left, as far as the delegate knows.
    private var toldByteCount: Int64 = 0

    /// libcurl has asked for bytes.
    mutating func wasRead(_ piece: TransferBody.Piece) {
        isDry = piece == .wouldBlock
        guard case .bytes(let count) = piece else { return }
        hasEnded = count == 0
        readByteCount += Int64(count)
    }

    /// libcurl goes on reading at `offset`.
    mutating func seek(to offset: Int64) {
        (readByteCount, isDry, hasEnded) = (offset, false, false)
    }

    /// The bytes that the delegate has not been told of.
    ///
    /// - Parameter byteCount: all that have left since the body's start.
    mutating func untoldByteCount(ofSent byteCount: Int64) -> Int {
        let delta = max(0, byteCount - toldByteCount)
        toldByteCount += delta
        return Int(delta)
    }

    /// - Parameters:
    ///   - byteCount: the body's length; nil when it is not known before the end.
    ///   - sentByteCount: all that have left.
    func isWholeBodySent(of byteCount: Int64?, _ sentByteCount: @autoclosure () -> Int64) -> Bool {
        guard let byteCount else { return hasEnded }
        return sentByteCount() == byteCount
    }
}

/// When a transfer over HTTP/2 ends whose response is complete while the request's body is still on its way (RFC 9113,
/// 8.1): at once when the server has closed the stream, else when the body does not move any more. libcurl would wait
/// for the server to take the rest of the body.
struct EarlyEnd {
    /// How long a body that does not move is waited for, in nanoseconds.
    static let patience: UInt64 = 1_000_000_000
    /// Whether the server has ended the response.
    private(set) var isPossible = false
    private var sentByteCount: Int64 = -1
    /// Whether the server has closed the stream.
    private(set) var isStreamClosed = false
    /// When to ask `isDue`; `UInt64.max` is never.
    private(set) var nextLook = UInt64.max

    /// The server has ended the response.
    mutating func streamHasEnded() { (isPossible, nextLook) = (true, 1) }

    /// The server has closed the stream after it had ended the response.
    mutating func streamWasClosed() { (isStreamClosed, nextLook) = (isPossible, isPossible ? 1 : .max) }

    /// More of the response was delivered.
    mutating func lookSoon() { if isPossible { nextLook = 1 } }

    /// Nothing is to be waited for: libcurl ends the transfer.
    mutating func giveUp() { self = EarlyEnd() }

    /// Whether the rest of the body is not waited for.
    ///
    /// - Parameters:
    ///   - isComplete: whether the whole response was delivered.
    ///   - byteCount: how much of the body has left.
    mutating func isDue(now: UInt64, isComplete: Bool, sentByteCount byteCount: Int64) -> Bool {
        guard isPossible, now >= nextLook else { return false }
        if isComplete, isStreamClosed { return true }
        let hasMoved = byteCount > sentByteCount
        if isComplete, !hasMoved { return true }
        nextLook = now + Self.patience
        if isComplete { sentByteCount = byteCount }
        return false
    }
}
