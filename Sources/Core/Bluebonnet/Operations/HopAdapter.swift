// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Runs an operation's request adapters before each transfer, and waits for its authenticator.
///
/// Belongs to the operation's runner; network thread only. The program's adapters run in a task, off the network
/// thread. The hop adapter has no slot and begins no transfer. It does not know whether a result is still needed:
/// `RequestMachine` numbers the work, and ignores the end of work with an older number.
final class HopAdapter {
    /// How work ended. Reported on the network thread, with the number of the work.
    enum End: Sendable {
        case adapted(Result<HopRequest, NetworkingError>)
        /// The refresh of the credential has ended.
        case refreshed
        /// The operation's total time limit has passed.
        case tookTooLong
    }

    /// The work that is running.
    private enum State {
        case idle
        case adapting(Task<Void, Never>)
        case waiting(SharedAuthenticator.Ticket)
    }

    private let authenticator: SharedAuthenticator?
    private let timers: NetworkTimers
    private let report: @Sendable (End, _ work: Int) -> Void
    private var state = State.idle
    private var startTime: UInt64 = 0
    private var limitTimer: NetworkTimers.Ticket?
    /// The request of the next transfer, as adapted so far.
    private var adapted: HopRequest?
    /// The number of the last refresh that the operation has waited for since its last transfer.
    private var awaitedRefresh: Int?

    /// - Parameter report: called on the network thread.
    init(
        _ authenticator: SharedAuthenticator?, _ timers: NetworkTimers,
        _ report: @escaping @Sendable (End, _ work: Int) -> Void
    ) {
        (self.authenticator, self.timers, self.report) = (authenticator, timers, report)
    }

    // MARK: Stages

    /// The stage `adaptation`: makes the request of the next transfer.
    ///
    /// - Returns: the event that ends the stage; nil if work has begun. `report` is called when that work ends.
    func adapt(
        _ hopSequence: HopSequence, for origin: Origin, work: Int, timeLeft: UInt64?
    ) -> RequestMachine.Event? {
        var credential: CurrentCredential?
        if hopSequence.needsCredential(adapted), let authenticator {
            if let adapted, let generation = adapted.credential?.generation {
                if authenticator.isUsable(generation) { return accept(adapted, hopSequence, for: origin) }
                self.adapted?.credential = nil
            }
            switch authenticator.ask(refused: hopSequence.refusedGeneration, waited: awaitedRefresh, resume: nil) {
            case .use(let usable): credential = usable
            case .wait(_, let refresh):
                awaitedRefresh = refresh
                return .credentialNeeded
            case .fail(let error): return .fail(error)
            }
        } else if let adapted {
            return accept(adapted, hopSequence, for: origin)
        }
        let adaptation = hopSequence.adaptation(after: adapted, credential)
        if let adapted = adaptation.quickResult { return accept(adapted, hopSequence, for: origin) }
        begin(work, timeLeft)
        let task = Task { [report] in
            let result = await adaptation.result()
            NetworkThread.shared.submit { report(.adapted(result), work) }
        }
        state = .adapting(task)
        return nil
    }

    /// Makes the next transfer send this request.
    private func accept(_ adapted: HopRequest, _ hopSequence: HopSequence, for origin: Origin) -> RequestMachine.Event {
        self.adapted = adapted
        hopSequence.setFinalForm(adapted)
        return hopSequence.nextOrigin == origin ? .adapted : .originChanged
    }

    /// The stage `credential`: waits for a credential that the next transfer may use.
    ///
    /// - Returns: the event that ends the stage; nil if the operation waits for a refresh. `report` is called when that
    ///   refresh ends.
    func awaitCredential(of hopSequence: HopSequence, work: Int, timeLeft: UInt64?) -> RequestMachine.Event? {
        guard hopSequence.needsCredential(adapted), let authenticator else { return .credentialReady }
        let answer = authenticator.ask(refused: hopSequence.refusedGeneration, waited: awaitedRefresh) { [report] in
            report(.refreshed, work)
        }
        switch answer {
        case .use: return .credentialReady
        case .fail(let error): return .fail(error)
        case .wait(let ticket, let refresh):
            begin(work, timeLeft)
            state = .waiting(ticket)
            awaitedRefresh = refresh
            return nil
        }
    }

    private func begin(_ work: Int, _ timeLeft: UInt64?) {
        let now = timers.clock.now()
        startTime = now
        guard let timeLeft else { return }
        limitTimer = timers.wait(until: now + min(timeLeft, .max - now)) { [report] in report(.tookTooLong, work) }
    }

    // MARK: Ends

    /// Records the end of the work.
    ///
    /// - Returns: how long the work took, in nanoseconds, to subtract from the total time limit.
    func recordEnd(_ end: End) -> UInt64 {
        switch end {
        case .adapted(let result): adapted = try? result.get()
        case .refreshed: break
        case .tookTooLong: return cancel()
        }
        return finish()
    }

    /// Cancels the work and discards its result. After a pause, the adapters run again.
    ///
    /// - Returns: how long the work took, in nanoseconds.
    func cancel() -> UInt64 {
        reset()
        switch state {
        case .idle: return 0
        case .adapting(let task): task.cancel()
        case .waiting(let ticket): authenticator?.withdraw(ticket)
        }
        return finish()
    }

    private func finish() -> UInt64 {
        state = .idle
        if let timer = limitTimer.take() { timers.withdraw(timer) }
        return timers.clock.now() - startTime
    }

    /// Discards the adapted request, because its transfer begins: adapters run again for the next transfer.
    func reset() { (adapted, awaitedRefresh) = (nil, nil) }
}

@available(*, unavailable)
extension HopAdapter: Sendable {}

extension HopAdapter.End {
    /// The error that ends the operation; nil if the work succeeded.
    var error: NetworkingError? {
        switch self {
        case .adapted(.failure(let error)): error
        case .adapted(.success), .refreshed: nil
        case .tookTooLong:
            .timeLimit(.total, "the time limit passed before the request could be sent with a credential")
        }
    }
}

extension Adaptation {
    fileprivate func result() async -> Result<HopRequest, NetworkingError> {
        do throws(NetworkingError) {
            return .success(try await run())
        } catch {
            return .failure(error)
        }
    }
}
