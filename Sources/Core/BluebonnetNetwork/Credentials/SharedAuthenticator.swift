// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Foundation
internal import FoundationNetworking

/// The current credential for some origins, shared by all operations with this object. It refreshes the credential
/// before it expires, and after a 401 that asks for another credential, once for all operations.
///
/// ```swift
/// let endpoint = TokenEndpoint(URL(string: "https://login.example.com/token")!, clientID: "reports")
/// manager.authenticator = SharedAuthenticator(
///     BearerAuthenticator(endpoint), credential: token, origins: [URL(string: "https://api.example.com")!])
/// ```
///
/// While the credential is refreshed, the operations that need it wait without a slot. A request that received a 401 is
/// sent again with the new credential, whatever its method; a second 401 is the result. If a refresh fails, the
/// waiting operations fail with `authenticationRequired`. See <doc:Tokens>.
///
/// All members may be used from any thread.
public final class SharedAuthenticator: Sendable {
    /// The values that the lock protects.
    fileprivate struct Values: Sendable {
        var state: CredentialState
        var current: CurrentCredential?
        /// The error of the last failed refresh.
        var error: NetworkingError?
        var waiting: [Ticket: @Sendable () -> Void] = [:]
        var lastTicket: Ticket = 0
        var work = CredentialWork()
        /// Counts the credentials that the program has set, because another credential may belong to another user.
        var epoch = 0
    }

    package typealias Ticket = UInt64

    /// The origins (scheme, host and port) whose requests get the credential.
    public let origins: [URL]
    private let covered: Set<Origin>
    private let authenticator: AnyAuthenticator
    private let leeway: TimeInterval
    /// Nil without a limit.
    private let refreshTimeout: Duration?
    private let date: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    private let identity = UUID()
    private let values: Mutex<Values>

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: how requests carry the credential, and how a new one is obtained.
    ///   - credential: the initial credential. Nil: the first request gets one with `Authenticator.refresh`.
    ///   - origins: http and https URLs of the origins; only scheme, host and port count. Traps for any other URL, and
    ///     for an empty array.
    ///   - leeway: how long before the expiry the credential is refreshed; at most a fifth of the credential's life.
    ///     Default 60 s.
    ///   - failureInterval: how long a failed refresh is remembered. Requests that need a credential in this time fail
    ///     immediately. Default 10 s. A final failure (`Authenticator.isFinal`) is remembered until the program sets
    ///     another credential. A credential that was refreshed within this interval is not refreshed because of a 401.
    ///   - refreshTimeout: how long a refresh may take. Its task is then cancelled, and the refresh counts as failed; a
    ///     credential that it returns later is still used. Default 60 s; zero means no limit.
    public convenience init<Kind: Authenticator>(
        _ authenticator: Kind, credential: Kind.Credential? = nil, origins: [URL], leeway: Duration = .seconds(60),
        failureInterval: Duration = .seconds(10), refreshTimeout: Duration = .seconds(60)
    ) {
        self.init(
            AnyAuthenticator(authenticator), credential, origins, leeway: leeway, failureInterval: failureInterval,
            refreshTimeout: refreshTimeout, date: { Date() })
    }

    package init(
        _ authenticator: AnyAuthenticator, _ credential: (any Sendable)?, _ origins: [URL], leeway: Duration,
        failureInterval: Duration, refreshTimeout: Duration = .seconds(60), date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        let covered = origins.compactMap(Origin.init)
        precondition(
            !origins.isEmpty && covered.count == origins.count, "an authenticator needs http or https URLs of origins")
        (self.origins, self.covered, self.authenticator) = (origins, Set(covered), authenticator)
        (self.leeway, self.date, self.sleep) = (leeway.seconds, date, sleep)
        self.refreshTimeout = refreshTimeout == .zero ? nil : refreshTimeout
        values = Mutex(Values(state: CredentialState(failureInterval: failureInterval.seconds)))
        if let credential { replace(credential, isTold: false) }
    }

    /// Returns the current credential; nil without a credential, or if it has another type.
    public func credential<Credential: Sendable>(as type: Credential.Type = Credential.self) -> Credential? {
        values.withLock { $0.current?.value } as? Credential
    }

    /// Sets the credential, as after a login. Requests use it from now on; `Authenticator.credentialWasSet` is called
    /// soon. A refresh in progress is cancelled and has no effect, and a failed refresh is forgotten. Traps if the
    /// authenticator has credentials of another type.
    public func setCredential(_ credential: some Sendable) { replace(credential) }

    /// Removes the credential, as at a logout; `Authenticator.credentialWasSet` is called soon. The next request that
    /// needs a credential gets one with `Authenticator.refresh`.
    public func removeCredential() { replace(nil) }

    /// Waits until `Authenticator.credentialWasSet` has returned for each credential that was set or removed so far.
    /// With a `BearerAuthenticator` that has a file, the file then contains the token, or `fileError` says why not. A
    /// program that ends soon after `setCredential` should wait for this.
    public func waitUntilCredentialIsKept() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            if values.withLock({ $0.work.add(.call { waiter.resume() }) }) { work() }
        }
    }

    /// - Parameter isTold: whether the authenticator is notified.
    private func replace(_ credential: (any Sendable)?, isTold: Bool = true) {
        let use = credential.flatMap(authenticator.use)
        precondition((credential == nil) == (use == nil), "the authenticator has credentials of another type")
        let now = date()
        let validity = use.map { CredentialState.Validity(obtained: now, expiry: $0.expiry, leeway: leeway) }
        let (released, running, isFirst) = values.withLock { values in
            _ = values.state.handle(.replaced(validity), at: now)
            values.epoch += 1
            let released = values.store(Self.currentCredential(credential, use, values.state.generation), error: nil)
            return (released, values.work.running, isTold && values.work.add(.tell(credential)))
        }
        running?.task.cancel()
        released.finish()
        if isFirst { work() }
    }

    private static func currentCredential(
        _ value: (any Sendable)?, _ use: AnyAuthenticator.Use?, _ generation: Int
    ) -> CurrentCredential? {
        guard let value, let use else { return nil }
        return CurrentCredential(generation: generation, value: value, apply: use.apply, field: use.field)
    }
}

extension SharedAuthenticator: CustomStringConvertible {
    /// The origins, without the credential.
    public var description: String {
        "<SharedAuthenticator: \(origins.map { Redaction.url($0.absoluteString) }.joined(separator: ", "))>"
    }
}

// MARK: - Requests

extension SharedAuthenticator {
    /// The response to a request that needs a credential.
    package enum Answer {
        case use(CurrentCredential)
        /// The request waits for the refresh with this number.
        case wait(Ticket, refresh: Int)
        case fail(NetworkingError)
    }

    package func covers(_ origin: Origin) -> Bool { covered.contains(origin) }

    /// Asks for the credential.
    ///
    /// - Parameters:
    ///   - refused: the generation that the server has refused for the request.
    ///   - waited: the refresh that the request has waited for since its last transfer.
    ///   - resume: called once on the network thread when waiting ends; the request then asks again. Nil if the request
    ///     does not wait: a refresh is begun, and the answer has ticket 0.
    package func ask(refused: Int?, waited: Int?, resume: (@Sendable () -> Void)?) -> Answer {
        let now = date()
        let (answer, begun, isFirst) = values.withLock { values -> (Answer, Int?, Bool) in
            var answer: Answer?
            var begun: Int?
            for effect in values.state.handle(.request(refused: refused, waited: waited), at: now) {
                switch effect {
                case .beginRefresh(let number): begun = number
                case .wait(let number): answer = .wait(resume.map { values.addWaiting($0) } ?? 0, refresh: number)
                case .use: answer = values.current.map(Answer.use)
                case .fail, .store, .wakeWaiting: break
                }
            }
            let isFirst = begun.map { values.work.add(.refresh(number: $0)) } ?? false
            return (answer ?? .fail(values.error ?? Self.failure(of: nil)), begun, isFirst)
        }
        if let begun { limitTime(of: begun) }
        if isFirst { work() }
        return answer
    }

    /// The number of waiting requests.
    var waitingCount: Int { values.withLock { $0.waiting.count } }

    /// Stops waiting. The refresh continues.
    package func withdraw(_ ticket: Ticket) { _ = values.withLock { $0.waiting.removeValue(forKey: ticket) } }

    /// Whether a request that carries the credential of a generation may be sent unchanged.
    package func isUsable(_ generation: Int) -> Bool {
        let now = date()
        return values.withLock { $0.state.isUsable(generation, at: now) }
    }

    /// Whether a request with the credential of a generation is sent again after a 401 with these `WWW-Authenticate`
    /// fields.
    package func canReplace(_ generation: Int, refusedBy fields: [String]) -> Bool {
        if let scheme = authenticator.challengeScheme?.lowercased() {
            guard HTTPChallenge.parse(fields).contains(where: { $0.scheme == scheme }) else { return false }
        }
        let now = date()
        return values.withLock { $0.state.canReplace(generation, at: now) }
    }

    /// Separates the responses of different users in a cache. The text differs for each process, object and credential
    /// that the program sets, and stays the same after a refresh.
    package var cacheStamp: String { "\(identity) \(values.withLock { $0.epoch })" }
}

// MARK: - Refreshing

extension SharedAuthenticator {
    /// Runs the queued jobs, one at a time. Independent of operations: a refresh continues if the operations that wait
    /// for it are cancelled.
    private func work() {
        Task {
            while let job = values.withLock({ $0.work.next() }) {
                switch job {
                case .refresh(let number): await refresh(number)
                case .tell(let credential): await authenticator.tell(credential)
                case .call(let action): action()
                }
            }
        }
    }

    /// Gets a new credential, unless it is no longer needed.
    private func refresh(_ number: Int) async {
        let (isNeeded, old) = values.withLock { ($0.state.isRefreshing(number), $0.current) }
        guard isNeeded else { return }
        let task = Task { [authenticator] in try await authenticator.refresh(old?.value) }
        let isStillNeeded = values.withLock { values in
            values.work.running = (number, task)
            return values.state.isRefreshing(number)
        }
        if !isStillNeeded { task.cancel() }
        let result = await task.result
        values.withLock { $0.work.running = nil }  // `task` still has it, so nothing is released here
        switch result {
        case .success(let value): end(number, with: value)
        case .failure(let error): end(number, with: error, isFinal: authenticator.isFinal(error))
        }
    }

    private func limitTime(of number: Int) {
        guard let refreshTimeout else { return }
        let limit = Task { [weak self, sleep] in
            guard (try? await sleep(refreshTimeout)) != nil, let self else { return }
            let error = NetworkingError(.timedOut, "it took longer than \(refreshTimeout)")
            end(number, with: error, isFinal: false)
            if let running = values.withLock({ $0.work.running }), running.number == number { running.task.cancel() }
        }
        let isNeeded = values.withLock { values in
            guard values.state.isRefreshing(number) else { return false }
            values.work.limit = limit
            return true
        }
        if !isNeeded { limit.cancel() }
    }

    private func end(_ number: Int, with value: any Sendable) {
        guard let use = authenticator.use(value) else { preconditionFailure("a refresh cannot change the type") }
        let now = date()
        let validity = CredentialState.Validity(obtained: now, expiry: use.expiry, leeway: leeway)
        values.withLock { values -> Released in
            guard !values.state.handle(.refreshed(number: number, validity), at: now).isEmpty else { return Released() }
            return values.store(Self.currentCredential(value, use, values.state.generation), error: nil)
        }.finish()
    }

    private func end(_ number: Int, with error: any Error, isFinal: Bool) {
        let now = date()
        let failure = Self.failure(of: error)
        values.withLock { values -> Released in
            guard !values.state.handle(.failed(number: number, isFinal: isFinal), at: now).isEmpty else {
                return Released()
            }
            return values.store(values.current, error: failure)
        }.finish()
    }

    private static func failure(of error: (any Error)?) -> NetworkingError {
        let reason = (error as? NetworkingError)?.message ?? error.map { "\($0)" } ?? "there is no credential"
        return NetworkingError(
            .authenticationRequired, "the credential could not be refreshed: \(reason)", underlying: error)
    }
}

/// The values that a change releases. Released without the lock, because releasing them may run code of the program.
private struct Released: Sendable {
    var credential: CurrentCredential?
    var error: NetworkingError?
    var limit: Task<Void, Never>?
    /// In the order of the requests.
    var waiting: [@Sendable () -> Void] = []

    func finish() {
        limit?.cancel()
        guard !waiting.isEmpty else { return }
        NetworkThread.shared.submit { [waiting] in
            for resume in waiting { resume() }
        }
    }
}

extension SharedAuthenticator.Values {
    fileprivate mutating func addWaiting(_ resume: @escaping @Sendable () -> Void) -> SharedAuthenticator.Ticket {
        lastTicket += 1
        waiting[lastTicket] = resume
        return lastTicket
    }

    /// Stores a credential or the error of a refresh, and returns the waiting requests, which continue.
    fileprivate mutating func store(_ new: CurrentCredential?, error newError: NetworkingError?) -> Released {
        let released = Released(
            credential: current, error: error, limit: work.limit.take(),
            waiting: waiting.sorted { $0.key < $1.key }.map(\.value))
        (current, error, waiting) = (new, newError, [:])
        return released
    }
}
