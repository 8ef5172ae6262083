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

        /// Whether it had expired when it came, as with a life of 0 seconds.
        var isBornExpired: Bool { expiry.map { $0 <= obtained } ?? false }
    }

    enum Event {
        /// A request needs a credential.
        ///
        /// - refused: the generation that the server has refused for it.
        /// - waited: the refresh that it has waited for since its last transfer.
        case request(refused: Int?, waited: Int?)
        /// The program has set another credential, or taken it away.
        case replaced(Validity?)
        case refreshed(number: Int, Validity)
        /// A refresh has failed, or has taken too long. One that took too long may still bring a credential.
        case failed(number: Int, isFinal: Bool)
    }

    enum Effect: Equatable {
        case use
        case wait(refresh: Int)
        /// The refresh begins as soon as an earlier one has ended.
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
        /// Requests fail for some time without another refresh; after a final failure until the credential changes.
        case failed(number: Int, since: Date, isFinal: Bool)
    }

    /// How long a failure is remembered, and how long no refusal of a new credential counts, in seconds.
    let failureInterval: TimeInterval
    /// The number of the current credential; each has another one.
    private(set) var generation = 0
    /// Nil when there is no credential.
    private var validity: Validity?
    private var phase = Phase.idle
    private var refreshNumber = 0
    /// Refreshes with lower numbers began before the program set another credential: they have no effect.
    private var firstNumber = 1
    /// Whether the current credential comes from a refresh.
    private var isRefreshed = false
    /// Whether a server has refused the current credential, so that no request carries it any more.
    private var isCurrentRefused = false

    init(failureInterval: TimeInterval) { self.failureInterval = failureInterval }

    /// Applies an event; the caller carries out the effects in order.
    mutating func handle(_ event: Event, at date: Date) -> [Effect] {
        switch event {
        case .request(let refused, let waited): return answer(refused: refused, waited: waited, date)
        case .replaced(let new):
            take(new, isRefreshed: false)
            firstNumber = refreshNumber + 1
            return [.store, .wakeWaiting]
        case .refreshed(let number, let new):
            guard number >= firstNumber else { return [] }
            take(new, isRefreshed: true)
            return [.store, .wakeWaiting]
        case .failed(let number, let isFinal):
            guard isRefreshing(number) else { return [] }
            phase = .failed(number: number, since: date, isFinal: isFinal)
            return [.store, .wakeWaiting]
        }
    }

    /// Whether requests wait for a refresh.
    func isRefreshing(_ number: Int) -> Bool { phase == .refreshing(number: number) }

    /// Whether a request that was answered 401 is sent again: not when the refused credential has just been refreshed,
    /// because then another refresh does not help. It does when the credential has come to its end since.
    func mayReplace(_ refused: Int, at date: Date) -> Bool {
        guard refused >= generation, isRefreshed, let validity else { return true }
        if isOver(validity.end, date), !validity.isBornExpired { return true }
        return !isWithin(failureInterval, of: validity.obtained, date)
    }

    /// Whether a request that carries a generation may be sent as it is.
    func isUsable(_ carried: Int, at date: Date) -> Bool {
        carried == generation && (canBeUsed(date) || isFresh(date))
    }

    private mutating func answer(refused: Int?, waited: Int?, _ date: Date) -> [Effect] {
        if validity != nil, let refused, refused >= generation { isCurrentRefused = true }
        let canBeUsed = canBeUsed(date)
        if canBeUsed, !isOver(validity?.end, date) { return [.use] }
        // What has not quite expired serves while it is refreshed, and when that fails.
        switch phase {
        case .refreshing(let number): return [canBeUsed ? .use : .wait(refresh: number)]
        case .failed(let number, let since, let isFinal)
        where waited == number || isFinal || isWithin(failureInterval, of: since, date):
            return [canBeUsed ? .use : .fail]
        case .idle where isFresh(date): return [.use]
        case .idle, .failed:
            refreshNumber += 1
            phase = .refreshing(number: refreshNumber)
            return [.beginRefresh(number: refreshNumber), canBeUsed ? .use : .wait(refresh: refreshNumber)]
        }
    }

    private mutating func take(_ new: Validity?, isRefreshed: Bool) {
        generation += 1
        validity = new
        phase = .idle
        (self.isRefreshed, isCurrentRefused) = (isRefreshed, false)
    }

    /// Whether there is a credential that has not expired, and that no server has refused.
    private func canBeUsed(_ date: Date) -> Bool {
        validity.map { !isCurrentRefused && !isOver($0.expiry, date) } ?? false
    }

    /// Whether the credential came expired from a refresh that is not long ago, so that another one would not be
    /// better.
    private func isFresh(_ date: Date) -> Bool {
        guard let validity, isRefreshed, validity.isBornExpired, !isCurrentRefused else { return false }
        return isWithin(max(failureInterval, 1), of: validity.obtained, date)
    }

    private func isOver(_ end: Date?, _ date: Date) -> Bool { end.map { $0 <= date } ?? false }

    /// A clock that was set back ends the interval.
    private func isWithin(_ interval: TimeInterval, of instant: Date, _ date: Date) -> Bool {
        (0..<max(interval, 0)).contains(date.timeIntervalSince(instant))
    }
}
