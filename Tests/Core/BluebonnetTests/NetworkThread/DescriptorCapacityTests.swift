// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct DescriptorCapacityTests {
    private enum Event { case begin, end, shortage }

    @Test(
        arguments: [
            (events: [Event.begin, .begin], limit: nil, hasCapacity: true),
            ([.shortage], nil, true),  // no other transfer will release a descriptor
            ([.begin, .begin, .shortage], 2, false),
            ([.begin, .begin, .shortage, .end], 2, true),
            ([.begin, .begin, .shortage, .end, .begin], 2, false),
            // As many transfers have ended as may run.
            ([.begin, .begin, .shortage, .end, .begin, .end, .begin], 3, true),
            // The limit falls again.
            ([.begin, .begin, .shortage, .end, .shortage], 1, false),
        ] as [([Event], Int?, Bool)])
    private func limitStartsAtTheRunningCountAndGrows(events: [Event], limit: Int?, hasCapacity: Bool) {
        var allowance = DescriptorAllowance()
        for event in events {
            switch event {
            case .begin: allowance.begin()
            case .end: allowance.end()
            case .shortage:
                let hasOthers = allowance.limitToRunning()
                #expect(hasOthers == (allowance.runningCount > 0))
            }
        }
        #expect(allowance.limit == limit)
        #expect(allowance.hasCapacity == hasCapacity)
    }

    @Test func largeLimitGrowsByAnEighth() {
        var allowance = DescriptorAllowance()
        for _ in 0..<80 { allowance.begin() }
        let hasOthers = allowance.limitToRunning()
        #expect(hasOthers)
        for _ in 0..<80 {
            allowance.end()
            allowance.begin()
        }
        #expect(allowance.limit == 90)
    }

    private final class Client: DescriptorClient {
        let name: String
        let told: (String) -> Void

        init(_ name: String, told: @escaping (String) -> Void) { (self.name, self.told) = (name, told) }

        func descriptorsWereReleased() { told(name) }
    }

    @Test func lastStartedSchedulerIsNotifiedLastAndOnce() {
        var told: [String] = []
        let capacity = DescriptorCapacity()
        let (first, second) = (Client("first") { told.append($0) }, Client("second") { told.append($0) })
        capacity.begin(for: second)
        #expect(capacity.limitToRunning(after: .ofProcess))
        #expect(capacity.shortageSentence == DescriptorShortage.ofProcess.sentence)
        for client in [first, second, first] { #expect(!capacity.isOpen(for: client)) }
        capacity.end()
        #expect(told == ["first", "second"])
        #expect(capacity.isOpen(for: first))
        for _ in 0..<2 { capacity.begin(for: first) }  // one more than before
        for client in [first, second] { #expect(!capacity.isOpen(for: client)) }
        capacity.end()
        #expect(told == ["first", "second", "second", "first"])
    }

    @Test(arguments: [DescriptorShortage.ofProcess, .ofSystem])
    func obstacleIsTheLastShortage(shortage: DescriptorShortage) {
        let capacity = DescriptorCapacity()
        let client = Client("only") { _ in }
        #expect(capacity.shortageSentence == nil)
        capacity.begin(for: client)
        #expect(capacity.limitToRunning(after: shortage))
        #expect(capacity.shortageSentence == shortage.sentence)
        capacity.end()
        #expect(capacity.shortageSentence == nil)
    }

    @Test func limitIsForgottenWhenNothingRuns() {
        let capacity = DescriptorCapacity()
        let client = Client("only") { _ in }
        capacity.begin(for: client)
        #expect(capacity.limitToRunning(after: .ofProcess))
        capacity.end()
        #expect(capacity.allowance == DescriptorAllowance())
    }

    @Test(arguments: [(EMFILE, DescriptorShortage.ofProcess), (ENFILE, .ofSystem), (ENOMEM, nil), (0, nil)])
    func shortageIsDistinguishedFromOtherErrors(number: CInt, shortage: DescriptorShortage?) {
        #expect(DescriptorShortage(errorNumber: number) == shortage)
        #expect(shortage.map(\.errorNumber) ?? number == number)
    }
}
