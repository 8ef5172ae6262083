// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct FreeNumberSearchTests {
    /// The number that a search finds, and how many numbers it looked at.
    private func search(_ isTaken: (Int) -> Bool) -> (number: Int, lookCount: Int) {
        var (search, lookCount) = (FreeNumberSearch(), 0)
        while lookCount < 1000 {
            lookCount += 1
            guard isTaken(search.number) else {
                if search.isNext { return (search.number, lookCount) }
                search.numberIsFree()
                continue
            }
            search.numberIsTaken()
        }
        return (0, lookCount)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 100, 10_000, 1_000_000])
    func firstFreeNumberIsFoundInFewSteps(takenCount: Int) {
        let found = search { $0 <= takenCount }
        #expect(found.number == takenCount + 1)
        #expect(found.lookCount <= 50)
    }

    @Test func freedNumberAmongTheFirstIsUsedAgain() {
        #expect(search { $0 <= 100 && $0 != 5 }.number == 5)
    }

    @Test func freeNumberIsFoundAmongGaps() {
        let taken: (Int) -> Bool = { $0 <= 1000 && $0 % 50 != 0 }
        let found = search(taken)
        #expect(!taken(found.number) && taken(found.number - 1))
    }

    @Test func numberTakenInTheMeantimeIsSkipped() {
        var search = FreeNumberSearch()
        #expect(search.number == 1 && search.isNext)
        search.numberIsTaken()
        #expect(search.number == 2 && search.isNext)
        search.numberIsTaken()
        #expect(search.number == 3)
    }
}
