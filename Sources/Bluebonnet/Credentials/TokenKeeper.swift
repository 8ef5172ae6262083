// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// The token file of one authenticator, and what could not be written to it yet. Any thread; its functions block.
final class TokenKeeper: Sendable {
    private struct State {
        /// What the file is to hold, and does not; an inner nil when there is to be no file.
        var pending: BearerToken??
        /// Counts what was pending.
        var number = 0
        var error: NetworkingError?
        var triedAt = Date.distantPast
    }

    /// How long a failure to write is left alone by requests, in seconds.
    private static let interval: TimeInterval = 10

    let file: TokenFile
    private let date: @Sendable () -> Date
    private let lockTries: Int
    private let onError: (@Sendable (NetworkingError) -> Void)?
    private let state = Mutex(State())

    init(
        _ file: TokenFile, date: @escaping @Sendable () -> Date, lockTries: Int,
        onError: (@Sendable (NetworkingError) -> Void)?
    ) {
        (self.file, self.date, self.lockTries, self.onError) = (file, date, lockTries, onError)
    }

    /// Waits for the lock of the file; nil when others hold it for too long.
    func lock() async throws -> FileLock? { try await file.lock(tries: lockTries) }

    /// Why the file does not hold what it should; nil when it does.
    var error: NetworkingError? { state.withLock { $0.error } }

    /// The program has set another token, or taken it away. Waits for the lock of the file.
    func change(to token: BearerToken?) async {
        setPending(token)
        do {
            guard let lock = try await lock() else {
                throw NetworkingError(.cannotWriteFile, "another process holds the lock of \(file.path)")
            }
            defer { withExtendedLifetime(lock) {} }
            writePending()
        } catch {
            note(error as? NetworkingError ?? NetworkingError(.cancelled, "\(file.path) was not written"))
        }
    }

    /// What the file holds, or should hold; nil when there is none.
    ///
    /// - Parameter isLocked: whether the caller has the lock of the file: then what is pending is written first.
    func token(isLocked: Bool) throws(NetworkingError) -> BearerToken? {
        guard let pending = state.withLock({ $0.pending }) else { return try file.read() }
        if isLocked { writePending() }
        return pending
    }

    /// Keeps a new token. The caller has the lock of the file.
    ///
    /// - Parameter isWritten: false when it is not to be written before it is used.
    func keep(_ token: BearerToken, isWritten: Bool) {
        setPending(token)
        if isWritten { writePending() }
    }

    /// Writes what is pending, when the last failure is some time ago and nobody has the lock of the file.
    func tryAgain() {
        let now = date()
        let isDue = state.withLock { state in
            let isRecent = (0..<Self.interval).contains(now.timeIntervalSince(state.triedAt))
            guard state.pending != nil, !isRecent else { return false }
            state.triedAt = now
            return true
        }
        guard isDue, let lock = try? FileLock(file.lockPath) else { return }
        defer { withExtendedLifetime(lock) {} }
        writePending()
    }

    private func setPending(_ token: BearerToken?) {
        state.withLock { state in
            state.pending = .some(token)
            state.number += 1
        }
    }

    /// The caller has the lock of the file.
    private func writePending() {
        let (pending, number) = state.withLock { ($0.pending, $0.number) }
        guard let pending else { return }
        do throws(NetworkingError) {
            if let pending { try file.write(pending, isLocked: true) } else { try file.remove() }
            state.withLock { state in
                if state.number == number { (state.pending, state.error) = (nil, nil) }
            }
        } catch {
            note(error)
        }
    }

    private func note(_ error: NetworkingError) {
        let now = date()
        state.withLock { ($0.error, $0.triedAt) = (error, now) }
        onError?(error)
    }
}
