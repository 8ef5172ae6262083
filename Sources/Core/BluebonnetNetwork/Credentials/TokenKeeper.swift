// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
package import Foundation

/// Manages the token file of one authenticator, and the token that is not yet written to it. Any thread; its functions
/// block.
package final class TokenKeeper: Sendable {
    /// The contents that the file should have but does not have.
    private struct Pending {
        /// Nil if the file should not exist.
        let token: BearerToken?
        let reason: Reason
    }

    /// The origin of a pending change.
    private enum Reason {
        /// The program has set or removed the token, which overrides the contents of the file.
        case program
        /// A refresh. The file had the replaced token then, if any. If the file has another token now, another process
        /// has written it, and it is newer.
        case refresh(replacing: BearerToken?)
    }

    /// The state that the lock protects.
    private struct State {
        var pending: Pending?
        /// Counts the pending changes.
        var number = 0
        /// The contents of the file when it was last read under its lock.
        var read: BearerToken?
        var error: NetworkingError?
        var triedAt = Date.distantPast
    }

    /// How long after a failed write requests do not try again, in seconds.
    private static let interval: TimeInterval = 10

    package let file: TokenFile
    private let date: @Sendable () -> Date
    private let lockTries: Int
    private let onError: (@Sendable (NetworkingError) -> Void)?
    private let state = Mutex(State())

    package init(
        _ file: TokenFile, date: @escaping @Sendable () -> Date, lockTries: Int,
        onError: (@Sendable (NetworkingError) -> Void)?
    ) {
        (self.file, self.date, self.lockTries, self.onError) = (file, date, lockTries, onError)
    }

    /// Waits for the lock of the file. Returns nil if others hold it for too long.
    package func lock() async throws -> FileLock? { try await file.lock(tries: lockTries) }

    /// Whether a change is not yet written to the file.
    package var hasPending: Bool { state.withLock { $0.pending != nil } }

    /// Why the file does not have the contents that it should have; nil if it does.
    package var error: NetworkingError? { state.withLock { $0.error } }

    /// Stores the token that the program has set, or its removal. Waits for the lock of the file.
    package func change(to token: BearerToken?) async {
        setPending(token, .program)
        do {
            guard let lock = try await lock() else {
                throw NetworkingError(.cannotWriteFile, "another process holds the lock of \(file.path)")
            }
            defer { withExtendedLifetime(lock) {} }
            writePending()
        } catch {
            record(error as? NetworkingError ?? NetworkingError(.cancelled, "\(file.path) was not written"))
        }
    }

    /// Returns the token that the file contains, or should contain; nil without a token.
    ///
    /// - Parameter isLocked: whether the caller has the lock of the file. A pending change is then written first.
    package func token(isLocked: Bool) throws(NetworkingError) -> BearerToken? {
        if isLocked { writePending() }
        if let pending = state.withLock({ $0.pending }) { return pending.token }
        let token = try file.read()
        if isLocked { state.withLock { $0.read = token } }
        return token
    }

    /// Stores a new token. The caller has the lock of the file.
    ///
    /// - Parameter isWritten: false if the token is not to be written before it is used.
    package func keep(_ token: BearerToken, isWritten: Bool) {
        setPending(token, nil)
        if isWritten { writePending() }
    }

    /// Writes a pending change if the last failure is some time ago and the file is not locked.
    package func tryAgain() {
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

    /// - Parameter reason: nil for a refresh of the token that was last read or is pending.
    private func setPending(_ token: BearerToken?, _ reason: Reason?) {
        state.withLock { state in
            let reason = reason ?? state.pending?.reason ?? .refresh(replacing: state.read)
            state.pending = Pending(token: token, reason: reason)
            state.number += 1
        }
    }

    /// Writes the pending change, but not the token of a refresh if another process has written the file since. The
    /// caller has the lock of the file.
    private func writePending() {
        let (pending, number) = state.withLock { ($0.pending, $0.number) }
        guard let pending else { return }
        do throws(NetworkingError) {
            if try isNeeded(pending) {
                if let token = pending.token { try file.write(token, isLocked: true) } else { try file.remove() }
            }
            state.withLock { state in
                if state.number == number { (state.pending, state.error) = (nil, nil) }
            }
        } catch {
            record(error)
        }
    }

    private func isNeeded(_ pending: Pending) throws(NetworkingError) -> Bool {
        guard case .refresh(let replaced) = pending.reason else { return true }
        return try file.read() == replaced
    }

    private func record(_ error: NetworkingError) {
        let now = date()
        state.withLock { ($0.error, $0.triedAt) = (error, now) }
        onError?(error)
    }
}
