// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides whether requests use the current credential, wait for another credential, or fail. A value type without a
/// clock: the caller passes the time of day. It stores no credential and refreshes nothing.
struct CredentialState: Equatable {
    /// How long a credential may be used.
    struct Validity: Equatable {
        let obtained: Date
        /// Nil if the expiry is not known.
        let expiry: Date?
        /// The time from which the credential is refreshed before a request is sent.
        let end: Date?

        /// - Parameter leeway: seconds before the expiry, but at most a fifth of the credential's life.
        init(obtained: Date, expiry: Date?, leeway: TimeInterval) {
            (self.obtained, self.expiry) = (obtained, expiry)
            end = expiry.map { $0 - min(leeway, max(0, $0.timeIntervalSince(obtained) / 5)) }
        }

        /// Whether the credential had already expired when it was obtained, as with a lifetime of 0 seconds.
        var isBornExpired: Bool { expiry.map { $0 <= obtained } ?? false }
    }

    /// An event that changes the state.
    enum Event {
        /// A request needs a credential.
        ///
        /// - refused: the generation that the server has refused for the request.
        /// - waited: the refresh that the request has waited for since its last transfer.
        case request(refused: Int?, waited: Int?)
        /// The program has set another credential, or removed it.
        case replaced(Validity?)
        case refreshed(number: Int, Validity)
        /// A refresh has failed, or has taken too long. A refresh that took too long may still return a credential.
        case failed(number: Int, isFinal: Bool)
    }

    /// An effect that the caller carries out.
    enum Effect: Equatable {
        case use
        case wait(refresh: Int)
        /// The refresh begins when an earlier refresh has ended.
        case beginRefresh(number: Int)
        /// The request fails with the error of the last refresh.
        case fail
        /// Stores the new credential or the new error.
        case store
        /// All waiting requests ask again.
        case wakeWaiting
    }

    /// The state of refreshing.
    private enum Phase: Equatable {
        case idle
        case refreshing(number: Int)
        /// Requests fail without another refresh: for some time, or after a final error until the credential changes.
        case failed(number: Int, since: Date, isFinal: Bool)
    }

    /// The time in seconds for which a failure is remembered, and for which a refusal of a refreshed credential causes
    /// no other refresh.
    let failureInterval: TimeInterval
    /// The number of the current credential. Each credential has a different number.
    private(set) var generation = 0
    /// Nil without a credential.
    private var validity: Validity?
    private var phase = Phase.idle
    private var refreshNumber = 0
    /// Refreshes with lower numbers began before the program set another credential, and have no effect.
    private var firstNumber = 1
    /// Whether the current credential comes from a refresh.
    private var isRefreshed = false
    /// Whether a server has refused the current credential. No request carries it then.
    private var isCurrentRefused = false

    init(failureInterval: TimeInterval) { self.failureInterval = failureInterval }

    /// Applies an event; the caller carries out the effects in order.
    mutating func handle(_ event: Event, at date: Date) -> [Effect] {
        switch event {
        case .request(let refused, let waited): return answer(refused: refused, waited: waited, date)
        case .replaced(let new):
            store(new, isRefreshed: false)
            firstNumber = refreshNumber + 1
            return [.store, .wakeWaiting]
        case .refreshed(let number, let new):
            guard number >= firstNumber else { return [] }
            store(new, isRefreshed: true)
            return [.store, .wakeWaiting]
        case .failed(let number, let isFinal):
            guard isRefreshing(number) else { return [] }
            phase = .failed(number: number, since: date, isFinal: isFinal)
            return [.store, .wakeWaiting]
        }
    }

    /// Whether requests wait for a refresh.
    func isRefreshing(_ number: Int) -> Bool { phase == .refreshing(number: number) }

    /// Whether a request is sent again after a 401. False if the refused credential has just been refreshed, because
    /// another refresh would not help, unless the credential has reached its end since.
    func canReplace(_ refused: Int, at date: Date) -> Bool {
        guard refused >= generation, isRefreshed, let validity else { return true }
        if isOver(validity.end, date), !validity.isBornExpired { return true }
        return !isWithin(failureInterval, of: validity.obtained, date)
    }

    /// Whether a request that carries the credential of a generation may be sent unchanged.
    func isUsable(_ carried: Int, at date: Date) -> Bool {
        carried == generation && (canBeUsed(date) || isFresh(date))
    }

    private mutating func answer(refused: Int?, waited: Int?, _ date: Date) -> [Effect] {
        if validity != nil, let refused, refused >= generation { isCurrentRefused = true }
        let canBeUsed = canBeUsed(date)
        if canBeUsed, !isOver(validity?.end, date) { return [.use] }
        // A credential between its `end` and its expiry is used during the refresh, and after a failed refresh.
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

    private mutating func store(_ new: Validity?, isRefreshed: Bool) {
        generation += 1
        validity = new
        phase = .idle
        (self.isRefreshed, isCurrentRefused) = (isRefreshed, false)
    }

    /// Whether there is a credential that has not expired and that no server has refused.
    private func canBeUsed(_ date: Date) -> Bool {
        validity.map { !isCurrentRefused && !isOver($0.expiry, date) } ?? false
    }

    /// Whether a recent refresh returned an expired credential, so that another refresh would not return a better one.
    private func isFresh(_ date: Date) -> Bool {
        guard let validity, isRefreshed, validity.isBornExpired, !isCurrentRefused else { return false }
        return isWithin(max(failureInterval, 1), of: validity.obtained, date)
    }

    private func isOver(_ end: Date?, _ date: Date) -> Bool { end.map { $0 <= date } ?? false }

    /// An interval ends if the clock is set back.
    private func isWithin(_ interval: TimeInterval, of instant: Date, _ date: Date) -> Bool {
        (0..<max(interval, 0)).contains(date.timeIntervalSince(instant))
    }
}
