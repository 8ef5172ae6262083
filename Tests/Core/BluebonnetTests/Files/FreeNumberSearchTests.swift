// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct FreeNumberSearchTests {
    /// Returns the number that a search finds, and how many numbers the search tried; 0 after 1,000 numbers.
    private func result(_ isTaken: (Int) -> Bool) -> (number: Int, tryCount: Int) {
        var (search, tryCount) = (FreeNumberSearch(), 0)
        while tryCount < 1000 {
            tryCount += 1
            guard isTaken(search.number) else {
                if search.isNext { return (search.number, tryCount) }
                search.numberIsFree()
                continue
            }
            search.numberIsTaken()
        }
        return (0, tryCount)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 100, 10_000, 1_000_000])
    func firstFreeNumberIsFoundInFewSteps(takenCount: Int) {
        let found = result { $0 <= takenCount }
        #expect(found.number == takenCount + 1)
        #expect(found.tryCount <= 50)
    }

    @Test func freedNumberAmongTheFirstIsUsedAgain() {
        #expect(result { $0 <= 100 && $0 != 5 }.number == 5)
    }

    @Test func freeNumberIsFoundAmongGaps() {
        let taken: (Int) -> Bool = { $0 <= 1000 && $0 % 50 != 0 }
        let found = result(taken)
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
