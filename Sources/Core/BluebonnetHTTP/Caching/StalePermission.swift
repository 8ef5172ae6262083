// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension CacheRules {
    /// Returns the stale response that answers after an error (RFC 5861, 4; RFC 9111, 4.2.4); nil without one.
    ///
    /// - Parameter status: the status code of the error; nil if the server did not answer.
    func staleAnswer(to forward: CacheForward, status code: Int?, now: Date) -> StoredAnswer? {
        guard !forward.isBackground, let stored = forward.selected,
            let content = CacheContent(of: stored, for: forward.request), permitsStale(stored, forward, code, now)
        else { return nil }
        var status = CacheStatus(cacheName: cacheName)
        (status.forwardReason, status.forwardStatus) = (forward.reason, code)
        return StoredAnswer(stored, content, for: forward.request, now: now, status: status)
    }

    private func permitsStale(_ stored: StoredResponse, _ forward: CacheForward, _ code: Int?, _ now: Date) -> Bool {
        let stated = stored.directives
        guard !stated.mustRevalidate, !stated.noCache, !stored.isExpired else { return false }
        let staleness = -stored.times.remaining(at: now)
        if let limit = forward.request.directives.staleIfError, staleness <= TimeInterval(limit) { return true }
        guard !forward.demandsValidation else { return false }
        if let limit = stated.staleIfError, staleness <= TimeInterval(limit) { return true }
        return answersWhenDisconnected && code == nil
    }
}
