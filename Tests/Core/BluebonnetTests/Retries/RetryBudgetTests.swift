// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet

@Suite struct RetryBudgetTests {
    private static let second: UInt64 = 1_000_000_000

    private func consumeAll(_ budget: inout RetryBudget, now: UInt64) -> Int {
        var count = 0
        while budget.consumeRetry(now: now) { count += 1 }
        return count
    }

    @Test func firstRetriesNeedNoRequests() {
        var budget = RetryBudget(now: 0)
        #expect(consumeAll(&budget, now: 0) == 10)
    }

    @Test func fifthOfRequestsCanBeRetried() {
        var budget = RetryBudget(now: 0)
        _ = consumeAll(&budget, now: 0)
        for _ in 0..<100 { budget.recordRequest(now: 0) }
        #expect(consumeAll(&budget, now: 0) == 20)
    }

    @Test func fewRetriesASecondAreFree() {
        var budget = RetryBudget(now: 0)
        _ = consumeAll(&budget, now: 0)
        #expect(consumeAll(&budget, now: 2 * Self.second) == 6)
        #expect(consumeAll(&budget, now: 2000 * Self.second) == 10)
    }

    @Test func budgetSavedFromRequestsIsCapped() {
        var budget = RetryBudget(now: 0)
        for _ in 0..<1_000_000 { budget.recordRequest(now: 0) }
        #expect(consumeAll(&budget, now: 0) == 110)
    }

    @Test func clockGoingBackAddsNothing() {
        var budget = RetryBudget(now: 5 * Self.second)
        _ = consumeAll(&budget, now: 5 * Self.second)
        #expect(consumeAll(&budget, now: 0) == 0)
        #expect(consumeAll(&budget, now: 6 * Self.second) == 3)
    }

    /// In any order of requests and retries, there are never more retries than the rule allows.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func retriesNeverExceedTheBudgetRule(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var budget = RetryBudget(now: 0)
        var (now, requests, retries): (UInt64, Double, Double) = (0, 0, 0)
        for _ in 0..<5000 {
            now += UInt64.random(in: 0...(Self.second / 50), using: &random)
            if Bool.random(using: &random) {
                budget.recordRequest(now: now)
                requests += 1
            } else if budget.consumeRetry(now: now) {
                retries += 1
            }
            #expect(retries <= requests / 5 + Double(now) / 1e9 * 3 + 10 + 1e-6)
        }
    }

    @Test func originsHaveSeparateBudgets() throws {
        var budgets = RetryBudgets()
        let (one, other) = (try #require(Origin(plain: "http://a/")), try #require(Origin(plain: "http://b/")))
        while budgets.consumeRetry(from: one, now: 0) {}
        let isTaken = budgets.consumeRetry(from: other, now: 0)
        #expect(isTaken && budgets.count == 2)
    }

    @Test func numberOfRememberedOriginsIsLimited() throws {
        var budgets = RetryBudgets()
        for number in 0..<(3 * RetryBudgets.largestCount) {
            budgets.recordRequest(to: try #require(Origin(plain: "http://h\(number)/")), now: UInt64(number))
        }
        #expect(budgets.count <= RetryBudgets.largestCount)
        for number in 0..<RetryBudgets.largestCount {
            let isTaken = budgets.consumeRetry(from: try #require(Origin(plain: "http://r\(number)/")), now: 1)
            #expect(isTaken)
        }
        #expect(budgets.count <= RetryBudgets.largestCount)
        let last = try #require(Origin(plain: "http://h\(3 * RetryBudgets.largestCount - 1)/"))
        let before = budgets.count
        budgets.recordRequest(to: last, now: .max)
        #expect(budgets.count == before, "the one that was used last is remembered")
    }
}
