// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Waiting for what can only be asked, not listened to: another process's start or end.
enum Patience {
    /// Asks until the answer is yes, for ten seconds at most or until the task is cancelled. Returns the last answer.
    @discardableResult
    static func wait(
        atMost limit: Duration = .seconds(10), until isSatisfied: () async -> Bool
    ) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while clock.now < end && !Task.isCancelled {
            if await isSatisfied() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return await isSatisfied()
    }
}
