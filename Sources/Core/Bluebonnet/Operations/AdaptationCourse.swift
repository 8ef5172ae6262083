// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The request adapters and the authenticator of one operation: runs them for each transfer, off the network thread,
/// and waits for credentials. A part of its runner; network thread only. It holds no slot and begins no transfer.
final class AdaptationCourse {
    /// What ends a piece of work or a wait, by its number; on the network thread.
    enum Event: Sendable {
        case adapted(Int, Result<HopRequest, NetworkingError>)
        /// The wait for the credential is over.
        case refreshed(Int)
        /// The total limit of the operation has passed.
        case tookTooLong(Int)
    }

    private enum State {
        case idle
        case adapting(Task<Void, Never>)
        case waiting(SharedAuthenticator.Ticket)
    }

    private let authenticator: SharedAuthenticator?
    private let timers: NetworkTimers
    private let tell: @Sendable (Event) -> Void
    private var state = State.idle
    /// Of the work or the wait that began last: an earlier one's end comes too late.
    private var number = 0
    private var began: UInt64 = 0
    private var limit: NetworkTimers.Ticket?
    /// What was done for the next transfer.
    private var adapted: HopRequest?
    /// Why the operation fails.
    private(set) var failure: NetworkingError?
    /// The refresh that was waited for since the last transfer.
    private var waited: Int?

    /// - Parameter tell: called on the network thread.
    init(
        _ authenticator: SharedAuthenticator?, _ timers: NetworkTimers, _ tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.authenticator, self.timers, self.tell) = (authenticator, timers, tell)
    }

    // MARK: Stages

    /// The stage `adaptation`: makes the request of the next transfer.
    ///
    /// - Returns: the next stage; nil while work is under way, at whose end there is an event.
    func adapt(_ exchange: Exchange, for origin: Origin, _ slot: inout HopSlot) -> RequestStage? {
        var credential: HeldCredential?
        if exchange.needsCredential(adapted), let authenticator {
            if let adapted, let generation = adapted.credential?.generation {
                if authenticator.isUsable(generation) { return send(adapted, exchange, for: origin, &slot) }
                self.adapted?.credential = nil
            }
            switch authenticator.ask(refused: exchange.refusedGeneration, waited: waited, goOn: nil) {
            case .use(let held): credential = held
            case .wait(_, let refresh):
                waited = refresh
                slot.abort()
                return .credential
            case .fail(let error):
                slot.abort()
                return .end(.failed(error))
            }
        } else if let adapted {
            return send(adapted, exchange, for: origin, &slot)
        }
        let work = exchange.adaptation(after: adapted, credential)
        if let adapted = work.quickResult { return send(adapted, exchange, for: origin, &slot) }
        begin(slot.account.timeLeft)
        let task = Task { [tell, number] in
            let result = await work.result()
            NetworkThread.shared.submit { tell(.adapted(number, result)) }
        }
        state = .adapting(task)
        return nil
    }

    /// The request goes out in this form, with another slot when an adapter has sent it to another origin.
    private func send(
        _ adapted: HopRequest, _ exchange: Exchange, for origin: Origin, _ slot: inout HopSlot
    ) -> RequestStage {
        self.adapted = adapted
        exchange.take(adapted)
        if exchange.nextOrigin == origin { return .files(origin) }
        slot.abort()
        return .connectivity
    }

    /// The stage `credential`: waits until there is one that the next transfer may use.
    ///
    /// - Returns: the next stage, also when none is needed; nil while the operation waits, at whose end there is an
    ///   event.
    func waitForCredential(of exchange: Exchange, _ account: TransferAccount) -> RequestStage? {
        guard exchange.needsCredential(adapted), let authenticator else { return .connectivity }
        let next = number + 1
        let answer = authenticator.ask(refused: exchange.refusedGeneration, waited: waited) { [tell] in
            tell(.refreshed(next))
        }
        switch answer {
        case .use: return .connectivity
        case .fail(let error): return .end(.failed(error))
        case .wait(let ticket, let refresh):
            begin(account.timeLeft)
            state = .waiting(ticket)
            waited = refresh
            return nil
        }
    }

    private func begin(_ timeLeft: UInt64?) {
        number += 1
        let now = timers.clock.now()
        began = now
        guard let timeLeft else { return }
        limit = timers.wait(until: now + min(timeLeft, .max - now)) { [tell, number] in tell(.tookTooLong(number)) }
    }

    // MARK: Ends

    /// Takes an event; false when it comes too late.
    func take(_ event: Event, _ slot: inout HopSlot) -> Bool {
        if case .idle = state { return false }
        switch event {
        case .adapted(number, .success(let made)):
            end(&slot)
            adapted = made
        case .adapted(number, .failure(let error)):
            end(&slot)
            failure = error
        case .refreshed(number): end(&slot)
        case .tookTooLong(number):
            failure = .timeLimit(.total, "the time limit passed before the request could be sent with a credential")
        case .adapted, .refreshed, .tookTooLong: return false
        }
        return true
    }

    /// Gives up what is under way, and what was done: after a pause the adapters run again.
    func interrupt(_ slot: inout HopSlot) {
        (adapted, waited) = (nil, nil)
        switch state {
        case .idle: return
        case .adapting(let task): task.cancel()
        case .waiting(let ticket): authenticator?.withdraw(ticket)
        }
        end(&slot)
    }

    /// The time counts against the total limit.
    private func end(_ slot: inout HopSlot) {
        state = .idle
        if let limit = limit.take() { timers.withdraw(limit) }
        slot.charge(timers.clock.now() - began)
    }

    /// A transfer begins.
    func noteTransfer() { (adapted, waited) = (nil, nil) }
}

@available(*, unavailable)
extension AdaptationCourse: Sendable {}

extension Adaptation {
    fileprivate func result() async -> Result<HopRequest, NetworkingError> {
        do throws(NetworkingError) {
            return .success(try await run())
        } catch {
            return .failure(error)
        }
    }
}
