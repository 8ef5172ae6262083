// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Testing

@Suite struct JudgeTests {
    @Test func dueResponsePasses() {
        #expect(verdict(.success("hello"), .success(0, status: 200), "hello") == .passed)
        #expect(verdict(.success([Answer(302, nil)]), .success(0, status: 302), "any") == .passed)
    }

    @Test func otherBodyOrStatusIsAWrongSuccess() {
        #expect(isWrongSuccess(verdict(.success("hello"), .success(0, status: 200), "hell")))
        #expect(isWrongSuccess(verdict(.success("hello"), .success(0, status: 500), "hello")))
        #expect(isWrongSuccess(verdict(.either("hello"), .success(0, status: 200), "")))
        #expect(isWrongSuccess(verdict(.either([Answer(302, nil)]), .success(0, status: 200), "")))
    }

    @Test func responseWhereAnErrorIsDueIsAWrongSuccess() {
        #expect(isWrongSuccess(verdict(.failure, .success(0, status: 200), "hello")))
    }

    @Test func errorWhereAResponseIsDueIsAnotherFailure() {
        #expect(verdict(.success("hello"), .failure(0, "no"), "") == .otherFailure("error: no"))
        #expect(verdict(.failure, .failure(0, "no"), "") == .passed)
        #expect(verdict(.either("hello"), .failure(0, "no"), "") == .passed)
    }

    @Test func killedProcessIsAHangOfItsFirstMissingRequest() {
        let two = FaultCase(
            "two", .plain, "", [], [.init(expect: .success("a")), .init(expect: .success("b"))])
        let first = Attempt.Delivery(.success(0, status: 200), body: Array("a".utf8))
        #expect(Judge.verdict(two, attempt([first], .killed), []) == .hang("request 2: no end"))
        #expect(
            Judge.verdict(two, attempt([first], .exited), []) == .crash("the process ended before its requests did"))
        #expect(Judge.verdict(two, attempt([first], .crashed("trap")), []) == .crash("trap"))
    }

    @Test func wrongSuccessOutranksALaterHang() {
        let two = FaultCase("two", .plain, "", [], [.init(expect: .failure), .init(expect: .success("b"))])
        let first = Attempt.Delivery(.success(0, status: 200), body: [])
        #expect(isWrongSuccess(Judge.verdict(two, attempt([first], .killed), [])))
    }

    @Test func brokenServerRuleIsAnotherFailureUnlessOptional() {
        var report = ServerReport()
        for method in ["GET", "POST", "POST"] {
            report.requests.append(.init(method: method, target: "/", lines: ["\(method) / HTTP/1.1"]))
        }
        var twice = FaultCase("twice", .twice, "", [], [.init(expect: .anything)]) {
            $0.checks = [.requests(0, "POST", atMost: 1)]
        }
        let done = attempt([.init(.failure(0, "no"), body: [])], .exited)
        #expect(Judge.verdict(twice, done, [report]) == .otherFailure("the server got 2 POST, not 1"))
        twice.isOptional = true
        #expect(Judge.verdict(twice, done, [report]) == .notOffered("the server got 2 POST, not 1"))
    }

    @Test func checksSeeFieldsLinesBodiesAndMemory() {
        var report = ServerReport()
        let lines = ["POST /new?q HTTP/1.1", "Authorization: secret", "x-injected: 1", "X-A: a\u{1}b"]
        report.requests = [.init(method: "POST", target: "/new?q", lines: lines)]
        report.requests[0].body = Array("body".utf8)
        let broken: [ServerCheck] = [
            .noField("authorization", at: 0), .noFieldOnPath("authorization", path: "/new", at: 0),
            .noLine("X-Injected", at: 0), .noCharacter("\u{1}", at: 0), .noPath("/new", at: 0),
            .methods(["GET"], path: "/new", at: 0), .body("other", path: "/new", at: 0), .memory(megabytes: 9),
        ]
        for check in broken { #expect(violates(check, report), "\(check)") }
        let kept: [ServerCheck] = [
            .noField("cookie", at: 0), .noFieldOnPath("authorization", path: "/", at: 0), .noLine("X-B", at: 0),
            .noCharacter("\u{2}", at: 0), .noPath("/", at: 0), .methods(["POST"], path: "/new", at: 0),
            .body("body", path: "/new", at: 0), .memory(megabytes: 10),
        ]
        for check in kept { #expect(!violates(check, report), "\(check)") }
    }

    private func violates(_ check: ServerCheck, _ report: ServerReport) -> Bool {
        let one = FaultCase("one", .plain, "", [], [.init(expect: .anything)]) { $0.checks = [check] }
        return Judge.verdict(one, attempt([.init(.failure(0, "no"), body: [])], .exited), [report]) != .passed
    }

    private func verdict(_ expectation: Comparison.Expectation, _ outcome: Outcome, _ body: String) -> Verdict {
        let one = FaultCase("one", .plain, "", [], [.init(expect: expectation)])
        return Judge.verdict(one, attempt([.init(outcome, body: Array(body.utf8))], .exited), [])
    }

    private func attempt(_ deliveries: [Attempt.Delivery], _ end: Attempt.End) -> Attempt {
        Attempt(end: end, deliveries: deliveries, peakResidentByteCount: 10_000_000)
    }

    private func isWrongSuccess(_ verdict: Verdict) -> Bool {
        if case .wrongSuccess = verdict { true } else { false }
    }
}
