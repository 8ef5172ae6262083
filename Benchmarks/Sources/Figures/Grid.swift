// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The cases and contenders of a run: the cross product of the options, without combinations that make no sense.
package struct Grid: Sendable {
    package var works: [Work]
    package var wires: [Wire]
    package var concurrencies: [Int]
    package var contenders: [Contender]

    package init(
        works: [Work] = Work.allCases, wires: [Wire] = Wire.allCases, concurrencies: [Int] = [1, 16, 64, 256, 1000],
        contenders: [Contender] = Contender.allCases
    ) {
        self.works = works
        self.wires = wires
        self.concurrencies = concurrencies
        self.contenders = contenders
    }

    /// The numbers of mixed requests in flight that are measured, as far as they are requested.
    package static let mixedConcurrencies = [1, 64, 1000]

    /// The cases in the order of measurement, without cases that have no contender.
    package var cases: [Case] {
        works.flatMap { work -> [Case] in
            switch work {
            case .tiny, .json:
                wires.flatMap { wire in concurrencies.map { Case(work, wire, concurrency: $0) } }
            case .mixed, .mixedOneOrigin:
                Self.mixedConcurrencies.filter(concurrencies.contains).map { Case(work, concurrency: $0) }
            case .post, .enqueued, .smallFiles, .largeFiles: [Case(work, concurrency: 64)]
            case .downloadFile, .downloadMemory, .upload: [Case(work, concurrency: 1)]
            }
        }
        .filter { !contenders(of: $0).isEmpty }
    }

    /// Returns the contenders of a case.
    package func contenders(of testCase: Case) -> [Contender] {
        testCase.contenders.filter(contenders.contains)
    }

    /// Returns the number of requests that takes about `seconds` at the rate of a trial, and is large enough for the
    /// concurrency.
    package static func requestCount(rate: Double, seconds: Double, concurrency: Int) -> Int {
        let wanted = rate.isFinite ? Int(min(rate * seconds, 1_000_000)) : 0
        return max(wanted, 200, 5 * concurrency)
    }
}
