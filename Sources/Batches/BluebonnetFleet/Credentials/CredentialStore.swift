// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// Reads and writes one credential in the store. A value type; each call opens its own connection on a thread that may
/// block.
struct CredentialStore<Credential: Codable & Sendable>: Sendable {
    /// Why a credential is written to the store.
    enum Reason: Sendable, Equatable {
        /// The program has set or removed the credential. This overrides the credential in the store.
        case program
        /// A refresh has replaced the stored text, which is empty without a credential. If the store has another text
        /// by now, another worker has written it, and it is newer.
        case refresh(replacing: String)
    }

    /// The result of a refresh.
    struct Refreshed: Sendable {
        let credential: Credential
        /// The reason with which the credential is to be written later; nil if the store has the credential.
        let unwritten: Reason?
    }

    /// How long other workers wait for a refresh.
    private static var patience: Duration { .seconds(120) }
    /// How long a refresh may take, in milliseconds.
    private static var longestRefresh: Int { 60_000 }
    /// The text of a row without a credential.
    private static var nothing: String { "" }

    let store: String
    let name: String

    /// Writes or removes a credential, unless the store has a newer one.
    func bring(_ credential: Credential?, _ reason: Reason) async throws(FleetError) {
        let text = try credential.map { credential throws(FleetError) in try Self.encoded(credential) } ?? Self.nothing
        try await StoreThread.run(store) { [name] connection throws(FleetError) in
            try FleetSchema.prepare(connection)
            switch reason {
            case .refresh(let former) where former != Self.nothing:
                try connection.query(
                    "UPDATE bluebonnet.credentials SET credential = $2 WHERE name = $1 AND credential = $3",
                    [.text(name), .text(text), .text(former)])
            case .program, .refresh:
                try connection.query(
                    """
                    INSERT INTO bluebonnet.credentials AS c (name, credential) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET credential = excluded.credential WHERE $3 OR c.credential = ''
                    """, [.text(name), .text(text), .bool(reason == .program)])
            }
        }
    }

    /// Replaces the credential while no other worker does.
    ///
    /// - Parameter change: receives the stored credential, and returns a new credential, or nil to keep the stored
    ///   one.
    /// - Returns: the credential that the store has now, or the new credential if it could not be written.
    func replace(
        _ change: @escaping @Sendable (Credential?) async throws -> Credential?
    ) async throws -> Refreshed {
        try await StoreThread.run(store) { [name] connection in
            connection.timeout = Self.patience
            try FleetSchema.prepare(connection)
            // The row must exist so that it can be locked.
            try connection.query(
                "INSERT INTO bluebonnet.credentials (name, credential) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.text(name), .text(Self.nothing)])
            try connection.begin()
            // A worker that disappears during its refresh blocks other workers no longer than this.
            try connection.query("SET LOCAL idle_in_transaction_session_timeout = \(Self.longestRefresh)")
            let row = try connection.query(
                "SELECT credential FROM bluebonnet.credentials WHERE name = $1 FOR UPDATE", [.text(name)])
            let text = row.count == 1 ? row.text(0, 0) : Self.nothing
            let kept = try Self.decoded(text)
            guard let new = try Self.wait({ try await change(kept) }).get() else {
                try connection.query("COMMIT")
                guard let kept else { throw FleetError(.failed, "the store has no credential \(name)") }
                return Refreshed(credential: kept, unwritten: nil)
            }
            do throws(FleetError) {
                try connection.query(
                    "UPDATE bluebonnet.credentials SET credential = $2 WHERE name = $1",
                    [.text(name), .text(try Self.encoded(new))])
                try connection.query("COMMIT")
                return Refreshed(credential: new, unwritten: nil)
            } catch {
                // The previous credential may be useless by now, so the new one must not be lost.
                return Refreshed(credential: new, unwritten: .refresh(replacing: text))
            }
        }
    }

    /// Blocks the store's thread until a task has ended.
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
        guard text != nothing else { return nil }
        do {
            return try JSONDecoder().decode(Credential.self, from: Data(text.utf8))
        } catch {
            throw FleetError(.failed, "the store has a credential of another type under this name")
        }
    }
}
