// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Keeps the credential of one authenticator in the store up to date, and retries changes that could not be written.
///
/// A pending change is retried until the store has it or a newer credential, and before each refresh.
actor CredentialKeeper<Credential: Codable & Sendable> {
    /// A change that the store does not have yet.
    private struct Pending {
        /// The new credential; nil to remove the credential.
        let credential: Credential?
        let reason: CredentialStore<Credential>.Reason
    }

    private static var shortestPause: Duration { .milliseconds(500) }
    private static var longestPause: Duration { .seconds(30) }

    private let store: CredentialStore<Credential>
    private var pending: Pending?
    /// Incremented with each pending change.
    private var number = 0
    /// The newest attempt to write the pending change. Attempts run one after the other.
    private var attempt: Task<Void, any Error>?
    /// Whether a task retries the pending change.
    private var isTrying = false

    init(_ store: CredentialStore<Credential>) { self.store = store }

    /// Writes a credential that the program has set, or removes the credential. Returns after one attempt; a failed
    /// attempt is retried later.
    func set(_ credential: Credential?) async {
        pend(Pending(credential: credential, reason: .program))
        try? await bring()
        tryAgain()
    }

    /// Replaces the credential while no other worker does. The pending change is written first.
    ///
    /// - Parameter change: receives the stored credential, and returns a new credential, or nil to keep the stored
    ///   one.
    func refresh(
        _ change: @escaping @Sendable (Credential?) async throws -> Credential?
    ) async throws -> Credential {
        try await bring()
        let before = number
        let refreshed = try await store.replace(change)
        // A credential that the program has set in the meantime is newer.
        if let reason = refreshed.unwritten, number == before {
            pend(Pending(credential: refreshed.credential, reason: reason))
            tryAgain()
        }
        return refreshed.credential
    }

    private func pend(_ new: Pending) {
        pending = new
        number += 1
    }

    private func bring() async throws {
        guard pending != nil || attempt != nil else { return }
        let before = attempt
        let task = Task {
            _ = await before?.result
            try await bringPending()
        }
        attempt = task
        defer { if attempt == task { attempt = nil } }
        try await task.value
    }

    private func bringPending() async throws {
        guard let pending else { return }
        let before = number
        try await store.bring(pending.credential, pending.reason)
        if number == before { self.pending = nil }
    }

    private func tryAgain() {
        guard pending != nil, !isTrying else { return }
        isTrying = true
        // The task outlives the authenticator: a new credential must not be lost after the previous one was used up.
        Task {
            var pause = Self.shortestPause
            repeat {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            } while await isLeft()
        }
    }

    /// Tries once more, and returns whether a change is still pending.
    private func isLeft() async -> Bool {
        try? await bring()
        isTrying = pending != nil
        return isTrying
    }
}
