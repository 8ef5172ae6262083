// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Testing

@Suite struct GridTests {
    @Test func fullGridHasEveryGETOverEveryWire() {
        let cases = Grid().cases
        #expect(cases.count { $0.work == .tiny } == 15)
        #expect(cases.count { $0.work == .json } == 15)
        #expect(Set(cases).count == cases.count)
        for work in [Work.mixed, .mixedOneOrigin] {
            #expect(cases.filter { $0.work == work }.map(\.concurrency) == [1, 64, 1000], "\(work)")
        }
        for work in Work.allCases where ![.tiny, .json, .mixed, .mixedOneOrigin].contains(work) {
            #expect(cases.count { $0.work == work } == 1, "\(work)")
        }
    }

    @Test func workWithoutContendersIsLeftOut() {
        #expect(Grid(contenders: [.wget2]).cases.map(\.work) == [.smallFiles, .largeFiles])
        #expect(Grid(works: [.tiny], concurrencies: [1000], contenders: [.urlSession]).cases.isEmpty)
    }

    @Test func mixedRequestsKeepToTheRequestedConcurrencies() {
        let grid = Grid(works: [.mixed], concurrencies: [16, 64])
        #expect(grid.cases == [Case(.mixed, concurrency: 64)])
        #expect(!grid.contenders(of: grid.cases[0]).contains(.urlSession))
    }

    /// One form queues its operations at once. The other runs them in chains, like the other clients.
    @Test func mixedRequestsAreMeasuredInBothFormsOfOperations() {
        for work in [Work.mixed, .mixedOneOrigin] {
            #expect(Case(work, concurrency: 64).contenders.prefix(2) == [.bluebonnet, .bluebonnetLoop], "\(work)")
        }
    }

    @Test func onlyRequestedContendersTakePart() {
        let grid = Grid(contenders: [.libcurl, .bluebonnet, .aria2c])
        #expect(grid.contenders(of: Case(.tiny, concurrency: 64)) == [.bluebonnet, .libcurl])
        #expect(grid.contenders(of: Case(.smallFiles, concurrency: 64)) == [.aria2c])
    }

    @Test(arguments: [
        (40_000.0, 0.5, 64, 20_000), (10, 0.5, 64, 320), (10, 0.5, 1, 200), (1e12, 1, 1, 1_000_000),
        (.infinity, 1, 1, 200),
    ])
    func roundHasEnoughRequestsForItsTimeAndEverySlot(
        rate: Double, seconds: Double, concurrency: Int, expected: Int
    ) {
        #expect(Grid.requestCount(rate: rate, seconds: seconds, concurrency: concurrency) == expected)
    }
}
