// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// One credential in the store. Any thread; each call has a connection of its own, on a thread that may wait.
struct CredentialStore<Credential: Codable & Sendable>: Sendable {
    /// How long others wait for a refresh.
    private static var patience: Duration { .seconds(120) }
    /// How long a refresh may take, in milliseconds.
    private static var longestRefresh: Int { 60_000 }
    private static var attemptCount: Int { 120 }

    let store: String
    let name: String

    /// Keeps a credential, or removes it.
    func set(_ credential: Credential?) async throws(FleetError) {
        let text = try credential.map { credential throws(FleetError) in try Self.encoded(credential) }
        try await StoreThread.run(store) { [name] connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            guard let text else {
                try connection.query("DELETE FROM bluebonnet.credentials WHERE name = $1", [.text(name)])
                return
            }
            try connection.query(
                """
                INSERT INTO bluebonnet.credentials (name, credential) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET credential = excluded.credential
                """, [.text(name), .text(text)])
        }
    }

    /// Replaces the credential while nobody else does.
    ///
    /// - Parameter change: is given the credential that is kept; gives another one, or nil to leave it.
    /// - Returns: the credential that is kept then.
    func replace(
        _ change: @escaping @Sendable (Credential?) async throws -> Credential?
    ) async throws -> Credential {
        try await StoreThread.run(store) { [name] connection in
            connection.timeout = Self.patience
            try FleetSchema.prepare(connection)
            // The row is there so that it can be locked.
            try connection.query(
                "INSERT INTO bluebonnet.credentials (name, credential) VALUES ($1, '') ON CONFLICT DO NOTHING",
                [.text(name)])
            try connection.query("BEGIN")
            // A worker that has gone in the middle of it holds nobody up for longer.
            try connection.query("SET LOCAL idle_in_transaction_session_timeout = \(Self.longestRefresh)")
            let row = try connection.query(
                "SELECT credential FROM bluebonnet.credentials WHERE name = $1 FOR UPDATE", [.text(name)])
            let kept = row.count == 1 ? try Self.decoded(row.text(0, 0)) : nil
            guard let new = try Self.wait({ try await change(kept) }).get() else {
                try connection.query("COMMIT")
                guard let kept else { throw FleetError(.failed, "the store has no credential \(name)") }
                return kept
            }
            do throws(FleetError) {
                try connection.query(
                    "UPDATE bluebonnet.credentials SET credential = $2 WHERE name = $1",
                    [.text(name), .text(try Self.encoded(new))])
                try connection.query("COMMIT")
            } catch {
                // The one before may be of no use any more: this one must not be lost.
                Task { await keep(new) }
            }
            return new
        }
    }

    /// Tries to bring a credential to a store that is away.
    private func keep(_ credential: Credential) async {
        for _ in 0..<Self.attemptCount {
            if (try? await set(credential)) != nil { return }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Waits for a task, on a thread of our own.
    private static func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Result<Value, any Error> {
        let (done, box) = (DispatchSemaphore(value: 0), ResultBox<Value>())
        Task {
            do { box.set(.success(try await work())) } catch { box.set(.failure(error)) }
            done.signal()
        }
        done.wait()
        return box.value
    }

    private static func encoded(_ credential: Credential) throws(FleetError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(credential), as: UTF8.self)
        } catch {
            throw FleetError(.failed, "the credential cannot be encoded")  // the error may show parts of it
        }
    }

    private static func decoded(_ text: String) throws(FleetError) -> Credential? {
        guard !text.isEmpty else { return nil }
        do {
            return try JSONDecoder().decode(Credential.self, from: Data(text.utf8))
        } catch {
            throw FleetError(.failed, "the store has a credential of another kind under this name")
        }
    }
}
