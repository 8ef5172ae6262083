// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What the retries of one origin may cost: a fifth of its requests, plus a few a second. A value without a clock:
/// instants are nanoseconds of a monotonic clock.
struct RetryBudget: Equatable {
    /// One retry costs what so many requests add.
    static let requestsPerRetry = 5
    /// What a second adds.
    static let perSecond = 3.0
    /// The most retries that requests, and seconds, add up to: what was saved in good times must not make a storm.
    static let largestShare = 100
    static let largestReserve = 10.0

    /// The requests that have paid for no retry yet.
    private var requestCount = 0
    private var reserve = RetryBudget.largestReserve
    private(set) var lastUse: UInt64

    init(now: UInt64) { lastUse = now }

    /// A request is sent for the first time.
    mutating func noteRequest(now: UInt64) {
        refill(now: now)
        requestCount = min(Self.largestShare * Self.requestsPerRetry, requestCount + 1)
    }

    /// Takes a retry out of the budget; false when there is no room for it.
    mutating func take(now: UInt64) -> Bool {
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

/// The budgets of the origins that requests with a policy went to. A value.
struct RetryBudgets {
    /// The most origins that are remembered.
    static let largestCount = 4096

    private var budgets: [Origin: RetryBudget] = [:]

    var count: Int { budgets.count }

    mutating func noteRequest(to origin: Origin, now: UInt64) {
        makeRoom(for: origin)
        budgets[origin, default: RetryBudget(now: now)].noteRequest(now: now)
    }

    mutating func take(from origin: Origin, now: UInt64) -> Bool {
        makeRoom(for: origin)
        return budgets[origin, default: RetryBudget(now: now)].take(now: now)
    }

    private mutating func makeRoom(for origin: Origin) {
        if budgets.count >= Self.largestCount, budgets[origin] == nil { forgetOldHalf() }
    }

    private mutating func forgetOldHalf() {
        let uses = budgets.values.map(\.lastUse).sorted()
        let middle = uses[uses.count / 2]
        budgets = budgets.filter { $0.value.lastUse > middle }
    }
}
