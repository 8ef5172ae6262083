// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Testing

@Suite struct ThroughputTableTests {
    @Test func rowsAreContendersAndColumnsConcurrencies() throws {
        let reports = [
            report(64, [.bluebonnet: [50, 90, 80], .libcurl: [100, 100, 200], .asyncHTTPClient: [25, 30, 40]]),
            report(1, [.bluebonnet: [7, 8, 9], .libcurl: [10, 10, 10]]),
        ]
        let lines = try #require(ThroughputTable(.mixed, reports)).text.split(separator: "\n").map(words)
        #expect(lines[0].starts(with: ["mixed", "requests", "to", "20", "origins,"]))
        #expect(lines[1].filter { $0 == "flight" }.count == 2)
        #expect(lines[1].prefix(3) == ["1", "in", "flight"])
        // Ratios are taken round by round: 0.5, 0.9, 0.4 and 2, 3, 2.
        #expect(lines[2] == ["Bluebonnet", "8", "0.80", "–", "80", "0.50", "2.00"])
        #expect(lines[3] == ["async-http-client", "–", "–", "–", "30", "0.25", "1.00"])
        #expect(lines[4] == ["libcurl", "in", "C", "10", "1.00", "–", "100", "1.00", "4.00"])
        #expect(lines.count == 5)
    }

    @Test func unmeasuredWorkHasNoTable() {
        #expect(ThroughputTable(.mixedOneOrigin, [report(64, [.libcurl: [1]])]) == nil)
        #expect(ThroughputTable(.mixed, [report(64, [:])]) == nil)
    }

    private func words(_ line: Substring) -> [String] { line.split(separator: " ").map(String.init) }

    private func report(_ concurrency: Int, _ rates: [Contender: [Int]]) -> CaseReport {
        CaseReport(
            Case(.mixed, concurrency: concurrency),
            rounds: Dictionary(
                uniqueKeysWithValues: rates.map { contender, rates in
                    (contender, rates.map { Self.round(contender, $0) })
                }))
    }

    /// A round of `rate` requests in one second.
    private static func round(_ contender: Contender, _ rate: Int) -> Measured {
        Measured(
            client: contender, requestCount: rate, concurrency: 1, byteCount: 0, wallSeconds: 1, cpuSeconds: 1,
            latency: nil, peakResidentByteCount: 0)
    }
}
