// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Testing

@Suite struct LoadLogTests {
    @Test func timesAreTakenFromTheLines() throws {
        let log = try LoadLog("1000000\t200\t500\n1000100\t200\t1500\n1002000\t200\t1000\n")
        #expect(log.requestCount == 3 && log.failureCount == 0)
        // From 1.0 s to 1.003 s.
        #expect(abs(log.wallSeconds - 0.003) < 1e-9)
        #expect(log.latency?.p50Milliseconds == 1)
        #expect(log.latency?.p99Milliseconds == 1.5)
    }

    @Test func otherStatusesAreFailures() throws {
        let log = try LoadLog("1\t200\t5\n2\t404\t5\n3\t-1\t5\n")
        #expect(log.requestCount == 3 && log.failureCount == 2)
    }

    @Test func laterColumnsAreIgnored() throws {
        #expect(try LoadLog("1\t200\t5\tmore\n").requestCount == 1)
    }

    @Test(arguments: ["", "\n", "1\t200\n", "a\t200\t5\n", "1 200 5\n"])
    func otherTextIsAnError(text: String) {
        #expect(throws: BenchmarkError.self) { try LoadLog(text) }
    }
}
