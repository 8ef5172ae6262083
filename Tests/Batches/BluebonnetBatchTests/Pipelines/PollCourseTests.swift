// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetBatch

@Suite struct PollCourseTests {
    /// Two requests with three transfers come before the last one.
    @Test(
        arguments: [
            (.success, 1, 3, 4), (.failure, 0, 3, 3), (.cancelled, 2, 3, 5), (.cancelled, 0, 2, 3),
        ] as [(ResultLine.Outcome, Int, Int, Int)])
    func resultCountsRequestsAndTransfers(outcome: ResultLine.Outcome, last: Int, requests: Int, transfers: Int) {
        var (course, result) = (PollCourse(), ResultLine(id: "j", outcome: outcome))
        for attempts in [1, 2, last] { course.record(attempts: attempts) }
        result.attempts = last
        course.complete(&result)
        #expect(result.requests == requests && result.attempts == transfers)
        #expect(course.requestCount == 3)
    }

    @Test func requestsAreWritten() {
        var result = ResultLine(id: "j", outcome: .success)
        result.requests = 3
        let text = String(decoding: result.encodedLine(), as: UTF8.self)
        let start = #"{"id":"j","outcome":"success","attempts":0,"redirects":0,"reused":false,"#
        #expect(text == start + #""requests":3}"# + "\n")
    }
}
