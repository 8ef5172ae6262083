// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Whether requests may use the current credential, wait for another one, or fail. A value without a clock: the time of
/// day is handed in. It holds no credential and refreshes nothing.
struct CredentialState: Equatable {
    /// How long a credential may be used.
    struct Validity: Equatable {
        let obtained: Date
        /// Nil when it is not known.
        let expiry: Date?
        /// From when on another credential is got before a request is sent.
        let end: Date?

        /// - Parameter leeway: seconds before the expiry, but at most a fifth of the credential's life.
        init(obtained: Date, expiry: Date?, leeway: TimeInterval) {
            (self.obtained, self.expiry) = (obtained, expiry)
            end = expiry.map { $0 - min(leeway, max(0, $0.timeIntervalSince(obtained) / 5)) }
        }
    }

    enum Event {
        /// A request needs a credential.
        ///
        /// - refused: the generation that the server has refused for it.
        /// - waited: the refresh that it has waited for since its last transfer.
        case request(refused: Int?, waited: Int?)
        /// A server has taken a credential.
        case accepted(generation: Int)
        /// The program has set another credential, or taken it away.
        case replaced(Validity?)
        case refreshed(number: Int, Validity)
        case failed(number: Int, isFinal: Bool)
    }

    enum Effect: Equatable {
        case use
        case wait(refresh: Int)
        case beginRefresh(number: Int)
        /// The request ends with the error of the last refresh.
        case fail
        /// Takes the new credential, or the new error.
        case store
        /// All that wait ask again.
        case wakeWaiting
    }

    private enum Phase: Equatable {
        case idle
        case refreshing(number: Int)
        /// Requests fail until then without another refresh.
        case failed(number: Int, since: Date, until: Date)
    }

    /// How long a failure is remembered, in seconds.
    let failureInterval: TimeInterval
    /// The number of the current credential; each has another one.
    private(set) var generation = 0
    /// Nil when there is no credential.
    private var validity: Validity?
    private var phase = Phase.idle
    private var refreshNumber = 0
    /// Whether the current credential comes from a refresh, and no server has taken it yet.
    private var isUnproven = false

    init(failureInterval: TimeInterval) { self.failureInterval = failureInterval }

    /// Applies an event; the caller carries out the effects in order.
    mutating func handle(_ event: Event, at date: Date) -> [Effect] {
        switch event {
        case .request(let refused, let waited): return answer(refused: refused, waited: waited, date)
        case .accepted(let accepted):
            if accepted == generation { isUnproven = false }
            return []
        case .replaced(let new):
            take(new, isUnproven: false)
            return [.store, .wakeWaiting]
        case .refreshed(let number, let new):
            guard phase == .refreshing(number: number) else { return [] }  // the program has set another one meanwhile
            take(new, isUnproven: true)
            return [.store, .wakeWaiting]
        case .failed(let number, let isFinal):
            guard phase == .refreshing(number: number) else { return [] }
            let until = isFinal ? Date.distantFuture : date + failureInterval
            phase = .failed(number: number, since: date, until: until)
            return [.store, .wakeWaiting]
        }
    }

    /// Whether a request that was answered 401 is sent again: not when the refused credential is a new one that no
    /// server has taken yet, because then refreshing does not help.
    func mayReplace(_ refused: Int, at date: Date) -> Bool {
        guard refused >= generation, isUnproven, let obtained = validity?.obtained else { return true }
        return !isWithin(failureInterval, of: obtained, date)
    }

    /// Whether a request that carries a generation may be sent as it is.
    func isUsable(_ carried: Int, at date: Date) -> Bool {
        carried == generation && (!isOver(validity?.expiry, date) || isFresh(date))
    }

    private mutating func answer(refused: Int?, waited: Int?, _ date: Date) -> [Effect] {
        let isRefused = refused.map { $0 >= generation } ?? false
        if validity != nil, !isRefused, !isOver(validity?.end, date) { return [.use] }
        // What a refresh has just brought, and what has not quite expired, is better than nothing.
        let canBeUsed = validity != nil && !isRefused
        switch phase {
        case .refreshing(let number): return [.wait(refresh: number)]
        case .failed(let number, let since, let until) where waited == number || since <= date && date < until:
            return canBeUsed && !isOver(validity?.expiry, date) ? [.use] : [.fail]
        case .idle where waited != nil && canBeUsed && isFresh(date): return [.use]
        case .idle, .failed:
            refreshNumber += 1
            phase = .refreshing(number: refreshNumber)
            return [.beginRefresh(number: refreshNumber), .wait(refresh: refreshNumber)]
        }
    }

    private mutating func take(_ new: Validity?, isUnproven: Bool) {
        generation += 1
        validity = new
        phase = .idle
        self.isUnproven = isUnproven
    }

    /// Whether the credential is so new that another one would not be better, however short its life is.
    private func isFresh(_ date: Date) -> Bool {
        validity.map { isWithin(max(failureInterval, 1), of: $0.obtained, date) } ?? false
    }

    private func isOver(_ end: Date?, _ date: Date) -> Bool { end.map { $0 <= date } ?? false }

    /// A clock that was set back ends the interval.
    private func isWithin(_ interval: TimeInterval, of instant: Date, _ date: Date) -> Bool {
        (0..<max(interval, 0)).contains(date.timeIntervalSince(instant))
    }
}
