// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits the retries of one origin to a fifth of its requests, plus a few per second. A value without a clock:
/// instants are nanoseconds of a monotonic clock.
struct RetryBudget: Equatable {
    /// The number of requests that pay for one retry.
    static let requestsPerRetry = 5
    /// The number of retries that are added to the reserve per second.
    static let perSecond = 3.0
    /// The maximum number of retries that requests can earn. A larger credit would allow a retry storm.
    static let largestShare = 100
    /// The maximum number of retries that time can earn.
    static let largestReserve = 10.0

    /// The requests that have not paid for a retry yet.
    private var requestCount = 0
    private var reserve = RetryBudget.largestReserve
    private(set) var lastUse: UInt64

    init(now: UInt64) { lastUse = now }

    /// Counts a request that is sent for the first time.
    mutating func recordRequest(now: UInt64) {
        refill(now: now)
        requestCount = min(Self.largestShare * Self.requestsPerRetry, requestCount + 1)
    }

    /// Consumes one retry; returns false if the budget is used up.
    mutating func consumeRetry(now: UInt64) -> Bool {
        refill(now: now)
        if requestCount >= Self.requestsPerRetry {
            requestCount -= Self.requestsPerRetry
        } else if reserve >= 1 {
            reserve -= 1
        } else {
            return false
        }
        return true
    }

    private mutating func refill(now: UInt64) {
        guard now > lastUse else { return }
        reserve = min(Self.largestReserve, reserve + Double(now - lastUse) / 1e9 * Self.perSecond)
        lastUse = now
    }
}

/// The retry budgets of the origins to which requests with a retry policy were sent. A value.
struct RetryBudgets {
    /// The maximum number of origins with a stored budget.
    static let largestCount = 4096

    private var entries: [(origin: Origin, budget: RetryBudget)] = []
    private var indices: [Origin: Int] = [:]
    /// The index of the entry that was used last: in most cases the next request has the same origin.
    private var last = 0

    var count: Int { entries.count }

    mutating func recordRequest(to origin: Origin, now: UInt64) {
        let index = index(of: origin, now: now)
        entries[index].budget.recordRequest(now: now)
    }

    mutating func consumeRetry(from origin: Origin, now: UInt64) -> Bool {
        let index = index(of: origin, now: now)
        return entries[index].budget.consumeRetry(now: now)
    }

    private mutating func index(of origin: Origin, now: UInt64) -> Int {
        if entries.indices.contains(last), entries[last].origin == origin { return last }
        last = indices[origin] ?? add(origin, now: now)
        return last
    }

    private mutating func add(_ origin: Origin, now: UInt64) -> Int {
        if entries.count >= Self.largestCount { forgetOldHalf() }
        entries.append((origin, RetryBudget(now: now)))
        indices[origin] = entries.count - 1
        return entries.count - 1
    }

    private mutating func forgetOldHalf() {
        let uses = entries.map(\.budget.lastUse).sorted()
        let middle = uses[uses.count / 2]
        entries.removeAll { $0.budget.lastUse <= middle }
        indices = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.origin, $0) })
    }
}
