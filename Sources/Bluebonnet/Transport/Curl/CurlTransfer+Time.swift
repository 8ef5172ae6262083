// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

// The time that a transfer has. Network thread only.
extension CurlTransfer {
    /// When the transfer has to be looked at for its time limits; `UInt64.max` is never.
    var nextDeadline: UInt64 {
        if isPaused { return .max }
        let end = min(deadline, bodyDeadline)
        return isHeldBack ? end : min(end, idleLimit.nextLook(bodyByteCount: request.body.byteCount))
    }

    /// Until when the rest of the body is waited for.
    var bodyDeadline: UInt64 { head == nil ? .max : delegate?.bodyDeadline ?? .max }

    /// The error when a limit has passed.
    func timeoutError(now: UInt64) -> NetworkingError? {
        guard !isPaused else { return nil }
        if now >= deadline {
            return NetworkingError(.timedOut, "the request to \(hostName) took longer than its time limit")
        }
        if now >= bodyDeadline {
            let status = head.map { " of status \($0.status)" } ?? ""
            return NetworkingError(.timedOut, "the body\(status) from \(hostName) was not waited for any longer")
        }
        guard nextDeadline <= now, !isHeldBack else { return nil }
        guard idleLimit.hasPassed(now: now, sentByteCount: handle.large(CURLINFO_SIZE_UPLOAD_T)) else { return nil }
        return NetworkingError(.timedOut, "no byte has moved to or from \(hostName) for longer than the idle limit")
    }

    /// A byte moves, as far as the idle limit is concerned.
    func noteActivity() { idleLimit.noteMovement(at: MonotonicClock.roughly()) }
}
