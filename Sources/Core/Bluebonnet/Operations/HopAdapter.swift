// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Runs the request adapters and the authenticator of one operation for each of its transfers, off the network thread.
///
/// Belongs to the operation's runner; network thread only. The adapter has no slot and begins no transfer. It does not
/// know whether its work is still wanted when the work ends: `RequestMachine` numbers the work.
final class HopAdapter {
    /// The end of the work with a number, reported on the network thread.
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
    private var began: UInt64 = 0
    private var limit: NetworkTimers.Ticket?
    /// The request of the next transfer, as adapted so far.
    private var adapted: HopRequest?
    /// The last refresh that the operation has waited for since its last transfer.
    private var waited: Int?

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
    /// - Returns: the event that ends the stage; nil if work has begun, at whose end `report` is called.
    func adapt(
        _ hopSequence: HopSequence, for origin: Origin, work: Int, timeLeft: UInt64?
    ) -> RequestMachine.Event? {
        var credential: CurrentCredential?
        if hopSequence.needsCredential(adapted), let authenticator {
            if let adapted, let generation = adapted.credential?.generation {
                if authenticator.isUsable(generation) { return send(adapted, hopSequence, for: origin) }
                self.adapted?.credential = nil
            }
            switch authenticator.ask(refused: hopSequence.refusedGeneration, waited: waited, resume: nil) {
            case .use(let usable): credential = usable
            case .wait(_, let refresh):
                waited = refresh
                return .credentialNeeded
            case .fail(let error): return .fail(error)
            }
        } else if let adapted {
            return send(adapted, hopSequence, for: origin)
        }
        let adaptation = hopSequence.adaptation(after: adapted, credential)
        if let adapted = adaptation.quickResult { return send(adapted, hopSequence, for: origin) }
        begin(work, timeLeft)
        let task = Task { [report] in
            let result = await adaptation.result()
            NetworkThread.shared.submit { report(.adapted(result), work) }
        }
        state = .adapting(task)
        return nil
    }

    private func send(_ adapted: HopRequest, _ hopSequence: HopSequence, for origin: Origin) -> RequestMachine.Event {
        self.adapted = adapted
        hopSequence.setFinalForm(adapted)
        return hopSequence.nextOrigin == origin ? .adapted : .originChanged
    }

    /// The stage `credential`: waits for a credential that the next transfer may use.
    ///
    /// - Returns: the event that ends the stage; nil if the operation waits for a refresh, at whose end `report` is
    ///   called.
    func awaitCredential(of hopSequence: HopSequence, work: Int, timeLeft: UInt64?) -> RequestMachine.Event? {
        guard hopSequence.needsCredential(adapted), let authenticator else { return .credentialReady }
        let answer = authenticator.ask(refused: hopSequence.refusedGeneration, waited: waited) { [report] in
            report(.refreshed, work)
        }
        switch answer {
        case .use: return .credentialReady
        case .fail(let error): return .fail(error)
        case .wait(let ticket, let refresh):
            begin(work, timeLeft)
            state = .waiting(ticket)
            waited = refresh
            return nil
        }
    }

    private func begin(_ work: Int, _ timeLeft: UInt64?) {
        let now = timers.clock.now()
        began = now
        guard let timeLeft else { return }
        limit = timers.wait(until: now + min(timeLeft, .max - now)) { [report] in report(.tookTooLong, work) }
    }

    // MARK: Ends

    /// Ends the work.
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

    /// Cancels the work and discards its result: after a pause the adapters run again.
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
        if let limit = limit.take() { timers.withdraw(limit) }
        return timers.clock.now() - began
    }

    /// Forgets the request of the transfer that begins. The next request is adapted anew.
    func reset() { (adapted, waited) = (nil, nil) }
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
