// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The state of a credential, without a credential, a clock or a request.
@Suite struct CredentialStateTests {
    /// The date this many seconds after the beginning.
    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds) }

    private static func validity(obtained: Double = 0, expiry: Double?) -> CredentialState.Validity {
        CredentialState.Validity(obtained: date(obtained), expiry: expiry.map(date), leeway: 60)
    }

    /// A state with generation 1, set at second 0.
    private static func state(expiry: Double?) -> CredentialState {
        var state = CredentialState(failureInterval: 10)
        _ = state.handle(.replaced(validity(expiry: expiry)), at: date(0))
        return state
    }

    private static let begun: [CredentialState.Effect] = [.beginRefresh(number: 1), .wait(refresh: 1)]
    private static let early: [CredentialState.Effect] = [.beginRefresh(number: 1), .use]
    private static let again: [CredentialState.Effect] = [.beginRefresh(number: 2), .wait(refresh: 2)]
    private static let stored: [CredentialState.Effect] = [.store, .wakeWaiting]

    /// A state whose credential of generation 1 was refused, and replaced at second 1 by generation 2.
    private static func refreshed(expiry: Double?) -> CredentialState {
        var state = state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: date(0))
        _ = state.handle(.refreshed(number: 1, validity(obtained: 1, expiry: expiry)), at: date(1))
        return state
    }

    @Test(
        arguments: [
            (nil, nil, 1e9, [.use]),
            (3600, nil, 3539, [.use]),
            (3600, nil, 3540, early),
            (3600, nil, 3600, begun),
            (3600, nil, 9999, begun),
            (3600, 1, 3550, begun),
            (100, nil, 79, [.use]),  // the leeway is a fifth of a short lifetime
            (100, nil, 80, early),
            (100, nil, 100, begun),
            (0, nil, 0, begun),
            (-100, nil, 0, begun),
            (nil, 1, 0, begun),
            (nil, 0, 0, [.use]),
            (nil, 7, 0, begun),
        ] as [(Double?, Int?, Double, [CredentialState.Effect])])
    func requestUsesAValidUnrefusedCredential(
        expiry: Double?, refused: Int?, seconds: Double, expected: [CredentialState.Effect]
    ) {
        var state = Self.state(expiry: expiry)
        #expect(state.handle(.request(refused: refused, waited: nil), at: Self.date(seconds)) == expected)
    }

    @Test func requestWithoutACredentialBeginsTheFirstRefresh() {
        var state = CredentialState(failureInterval: 10)
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(0)) == Self.begun)
        #expect(state.generation == 0)
    }

    @Test func oneRefreshRunsForAnyNumberOfRequests() {
        var state = Self.state(expiry: nil)
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(1)) == Self.begun)
        for _ in 0..<1000 {
            #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(1)) == [.wait(refresh: 1)])
        }
        let end = state.handle(.refreshed(number: 1, Self.validity(obtained: 2, expiry: nil)), at: Self.date(2))
        #expect(end == [.store, .wakeWaiting])
        #expect(state.generation == 2)
        for _ in 0..<1000 { #expect(state.handle(.request(refused: 1, waited: 1), at: Self.date(2)) == [.use]) }
    }

    @Test func validCredentialIsUsedDuringItsRefresh() {
        var state = Self.state(expiry: 100)
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(90)) == Self.early)
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(90)) == [.use])
        #expect(state.isUsable(1, at: Self.date(99)))
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(100)) == [.wait(refresh: 1)])
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(91)) == [.wait(refresh: 1)])
    }

    @Test(arguments: [nil, 100, 3600] as [Double?])
    func refusedCredentialIsNotSentDuringItsRefresh(expiry: Double?) {
        var state = Self.state(expiry: expiry)
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(90)) == Self.begun)
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(90)) == [.wait(refresh: 1)])
        #expect(!state.isUsable(1, at: Self.date(90)))
        #expect(state.handle(.replaced(Self.validity(expiry: nil)), at: Self.date(91)) == Self.stored)
        #expect(state.handle(.request(refused: nil, waited: 1), at: Self.date(91)) == [.use])
        #expect(state.isUsable(2, at: Self.date(91)))
    }

    @Test(
        arguments: [
            (false, 5, [.fail]), (false, 14.9, [.fail]), (false, 15, again), (false, 1000, again),
            (false, -1, again),  // the clock was set back
            (true, 5, [.fail]), (true, 1e8, [.fail]), (true, -1e8, [.fail]),
        ] as [(Bool, Double, [CredentialState.Effect])])
    func refusedCredentialIsNotSentAfterAFailedRefresh(
        isFinal: Bool, seconds: Double, expected: [CredentialState.Effect]
    ) {
        var state = Self.state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: Self.date(0))
        #expect(state.handle(.failed(number: 1, isFinal: isFinal), at: Self.date(5)) == Self.stored)
        #expect(!state.isUsable(1, at: Self.date(seconds)))
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(seconds)) == expected)
    }

    @Test func refusalOfAnOldCredentialSparesTheCurrentOne() {
        var state = Self.refreshed(expiry: nil)
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(2)) == [.use])
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(2)) == [.use])
    }

    @Test func failureFailsTheWaitersAndIsRemembered() {
        var state = Self.state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: Self.date(0))
        #expect(state.handle(.failed(number: 1, isFinal: false), at: Self.date(5)) == [.store, .wakeWaiting])
        for second in [5.0, 14, 1000] {
            #expect(state.handle(.request(refused: 1, waited: 1), at: Self.date(second)) == [.fail])
        }
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(14.9)) == [.fail])
        let again: [CredentialState.Effect] = [.beginRefresh(number: 2), .wait(refresh: 2)]
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(15)) == again)
    }

    @Test func finalFailureIsRememberedUntilTheCredentialChanges() {
        var state = Self.state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: Self.date(0))
        _ = state.handle(.failed(number: 1, isFinal: true), at: Self.date(0))
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(1e8)) == [.fail])
        #expect(state.handle(.replaced(Self.validity(expiry: nil)), at: Self.date(1)) == [.store, .wakeWaiting])
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(1)) == [.use])
    }

    @Test func unexpiredCredentialIsUsedAfterAFailedRefresh() {
        var state = Self.state(expiry: 100)
        _ = state.handle(.request(refused: nil, waited: nil), at: Self.date(90))
        _ = state.handle(.failed(number: 1, isFinal: false), at: Self.date(91))
        #expect(state.handle(.request(refused: nil, waited: 1), at: Self.date(91)) == [.use])
        #expect(state.handle(.request(refused: 1, waited: nil), at: Self.date(91)) == [.fail])
        #expect(state.handle(.request(refused: nil, waited: 1), at: Self.date(100)) == [.fail])
    }

    @Test func refreshEndIsIgnoredAfterAnotherCredentialWasSet() {
        var state = Self.state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: Self.date(0))
        _ = state.handle(.replaced(Self.validity(expiry: nil)), at: Self.date(1))
        let before = state
        #expect(state.handle(.refreshed(number: 1, Self.validity(expiry: nil)), at: Self.date(2)) == [])
        #expect(state.handle(.failed(number: 1, isFinal: true), at: Self.date(2)) == [])
        #expect(state == before && state.generation == 2)
    }

    @Test func lateRefreshResultIsUsed() {
        var state = Self.state(expiry: nil)
        _ = state.handle(.request(refused: 1, waited: nil), at: Self.date(0))
        _ = state.handle(.failed(number: 1, isFinal: false), at: Self.date(60))
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(70)) == Self.again)
        #expect(state.isRefreshing(2) && !state.isRefreshing(1))
        #expect(state.handle(.failed(number: 1, isFinal: true), at: Self.date(71)) == [])
        let end = state.handle(.refreshed(number: 1, Self.validity(obtained: 71, expiry: nil)), at: Self.date(71))
        #expect(end == Self.stored && !state.isRefreshing(2))
        #expect(state.handle(.request(refused: nil, waited: 2), at: Self.date(71)) == [.use])
    }

    @Test func credentialObtainedExpiredIsNotRefreshedForEachRequest() {
        var state = Self.refreshed(expiry: 1)
        for waited in [1, nil] {
            for second in [1, 10.9] {
                #expect(state.handle(.request(refused: nil, waited: waited), at: Self.date(second)) == [.use])
            }
        }
        #expect(state.isUsable(2, at: Self.date(1)) && !state.canReplace(2, at: Self.date(1)))
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(11)) == Self.again)
    }

    @Test func newCredentialIsNotReplacedAtOnceAfterARefusal() {
        let state = Self.refreshed(expiry: nil)
        #expect(Self.state(expiry: nil).canReplace(1, at: Self.date(0)))  // set by the program, not by a refresh
        #expect(state.canReplace(1, at: Self.date(1)))  // generation 2 is newer
        #expect(!state.canReplace(2, at: Self.date(10.9)))
        #expect(state.canReplace(2, at: Self.date(11)))
        #expect(state.canReplace(2, at: Self.date(0)))  // the clock was set back
    }

    @Test func shortLivedCredentialIsReplacedNearItsEnd() {
        var state = Self.refreshed(expiry: 6)
        #expect(!state.canReplace(2, at: Self.date(4.9)) && state.canReplace(2, at: Self.date(5)))
        #expect(
            state.handle(.request(refused: nil, waited: nil), at: Self.date(5)) == [.beginRefresh(number: 2), .use])
        #expect(state.handle(.request(refused: nil, waited: nil), at: Self.date(6)) == [.wait(refresh: 2)])
    }

    @Test func generationIsUsableUntilExpiredOrSuperseded() {
        var state = Self.state(expiry: 100)
        #expect(state.isUsable(1, at: Self.date(99)))
        #expect(!state.isUsable(1, at: Self.date(100)) && !state.isUsable(0, at: Self.date(1)))
        _ = state.handle(.replaced(nil), at: Self.date(1))
        #expect(!state.isUsable(1, at: Self.date(1)))
    }
}
