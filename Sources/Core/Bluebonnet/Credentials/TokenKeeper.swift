// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// The token file of one authenticator, and what could not be written to it yet. Any thread; its functions block.
final class TokenKeeper: Sendable {
    /// What the file is to hold, and does not.
    private struct Pending {
        /// Nil when there is to be no file.
        let token: BearerToken?
        let reason: Reason
    }

    private enum Reason {
        /// The program has set the token, or taken it away: that counts, whatever is in the file.
        case program
        /// A refresh. The file had that token then, if any: when it has another one since, that is another process's,
        /// and newer.
        case refresh(replacing: BearerToken?)
    }

    private struct State {
        var pending: Pending?
        /// Counts what was pending.
        var number = 0
        /// What the file had when it was read last under its lock.
        var read: BearerToken?
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

    /// Whether there is something that the file does not hold yet.
    var hasPending: Bool { state.withLock { $0.pending != nil } }

    /// Why the file does not hold what it should; nil when it does.
    var error: NetworkingError? { state.withLock { $0.error } }

    /// The program has set another token, or taken it away. Waits for the lock of the file.
    func change(to token: BearerToken?) async {
        setPending(token, .program)
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
        if isLocked { writePending() }
        if let pending = state.withLock({ $0.pending }) { return pending.token }
        let token = try file.read()
        if isLocked { state.withLock { $0.read = token } }
        return token
    }

    /// Keeps a new token. The caller has the lock of the file.
    ///
    /// - Parameter isWritten: false when it is not to be written before it is used.
    func keep(_ token: BearerToken, isWritten: Bool) {
        setPending(token, nil)
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

    /// - Parameter reason: nil for a refresh of what was read last, or is pending.
    private func setPending(_ token: BearerToken?, _ reason: Reason?) {
        state.withLock { state in
            let reason = reason ?? state.pending?.reason ?? .refresh(replacing: state.read)
            state.pending = Pending(token: token, reason: reason)
            state.number += 1
        }
    }

    /// Writes what is pending, unless another process has written since. The caller has the lock of the file.
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
            note(error)
        }
    }

    private func isNeeded(_ pending: Pending) throws(NetworkingError) -> Bool {
        guard case .refresh(let replaced) = pending.reason else { return true }
        return try file.read() == replaced
    }

    private func note(_ error: NetworkingError) {
        let now = date()
        state.withLock { ($0.error, $0.triedAt) = (error, now) }
        onError?(error)
    }
}
