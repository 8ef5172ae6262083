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
