// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The credential of one authenticator in the store, and what could not be brought there yet.
///
/// What is pending is tried again until the store has it or something newer, and before each refresh.
actor CredentialKeeper<Credential: Codable & Sendable> {
    /// What the store is to have, and does not.
    private struct Pending {
        /// Nil when there is to be none.
        let credential: Credential?
        let reason: CredentialStore<Credential>.Reason
    }

    private static var shortestPause: Duration { .milliseconds(500) }
    private static var longestPause: Duration { .seconds(30) }

    private let store: CredentialStore<Credential>
    private var pending: Pending?
    /// Counts what was pending.
    private var number = 0
    /// The newest attempt to bring what is pending: attempts are made one after the other.
    private var attempt: Task<Void, any Error>?
    /// Whether a task tries again and again.
    private var isTrying = false

    init(_ store: CredentialStore<Credential>) { self.store = store }

    /// The program has set another credential, or taken it away. Returns after one attempt to bring it to the store.
    func set(_ credential: Credential?) async {
        pend(Pending(credential: credential, reason: .program))
        try? await bring()
        tryAgain()
    }

    /// Replaces the credential while nobody else does, after what is pending was brought to the store.
    ///
    /// - Parameter change: is given the credential of the store; gives another one, or nil to leave it.
    func refresh(
        _ change: @escaping @Sendable (Credential?) async throws -> Credential?
    ) async throws -> Credential {
        try await bring()
        let before = number
        let refreshed = try await store.replace(change)
        // What the program has set meanwhile is newer.
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
        // It lives on without the authenticator: a credential that was got for one that is spent must not be lost.
        Task {
            var pause = Self.shortestPause
            repeat {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            } while await isLeft()
        }
    }

    /// Tries once more; whether something is left for another time.
    private func isLeft() async -> Bool {
        try? await bring()
        isTrying = pending != nil
        return isTrying
    }
}
