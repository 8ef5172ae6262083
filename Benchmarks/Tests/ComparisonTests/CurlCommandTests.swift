// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Testing

@Suite struct CurlCommandTests {
    private func plan(_ requests: [Plan.Request], _ order: Plan.Order = .oneAfterAnother) -> Plan {
        Plan(requests: requests, order: order, limits: .usual, authorityFile: nil)
    }

    private func request(_ name: String, _ change: (inout Plan.Request) -> Void = { _ in }) -> Plan.Request {
        var request = Plan.Request(url: "http://h/\(name)", outputFile: "/tmp/\(name)")
        change(&request)
        return request
    }

    @Test func requestsAreSeparatedAndHaveTheirOwnOptions() {
        let words = CurlCommand.words(plan([request("a"), request("b") { $0.method = "HEAD" }]))
        #expect(words.first == "--disable")
        #expect(words.filter { $0 == "--next" }.count == 1)
        #expect(words.filter { $0 == "--max-time" }.count == 2)
        let parts = words.split(separator: "--next")
        #expect(parts.map { $0.contains("--head") } == [false, true])
        #expect(parts.map { Array($0.suffix(2)) } == [["--url", "http://h/a"], ["--url", "http://h/b"]])
    }

    @Test func methodIsNamedOnlyIfNoOtherOptionImpliesIt() {
        let post = CurlCommand.words(
            plan([
                request("a") {
                    $0.method = "POST"
                    $0.bodyFile = "/tmp/body"
                }
            ]))
        #expect(post.contains("@/tmp/body") && !post.contains("--request"))
        let delete = CurlCommand.words(plan([request("a") { $0.method = "DELETE" }]))
        #expect(zip(delete, delete.dropFirst()).contains { $0 == ("--request", "DELETE") })
    }

    @Test func linesBecomeOutcomesOfTheirFiles() {
        let requests = plan([request("a"), request("b"), request("c")], .allAtOnce)
        let output = """
            {"exitcode":0,"errormsg":null,"response_code":200,"filename_effective":"/tmp/b"}
            {"exitcode":18,"errormsg":"cut","response_code":200,"filename_effective":"/tmp/a"}
            """
        #expect(
            CurlCommand.outcomes(output, requests) == [.failure(0, "curl: (18) cut"), .success(1, status: 200)])
    }

    @Test func linesOfRequestsInOrderNeedNoFiles() {
        let requests = plan([request("a"), request("b")])
        let output = """
            {"exitcode":7,"errormsg":"refused","response_code":0,"filename_effective":null}
            {"exitcode":0,"errormsg":null,"response_code":204,"filename_effective":"/tmp/b"}
            """
        #expect(
            CurlCommand.outcomes(output, requests) == [.failure(0, "curl: (7) refused"), .success(1, status: 204)])
    }
}
