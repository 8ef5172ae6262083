// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Compares a client's outcomes with the expected ones. Pure.
package enum Judge {
    /// - Parameter reports: the requests that arrived at the case's servers, in the order of the servers.
    package static func verdict(_ testCase: FaultCase, _ attempt: Attempt, _ reports: [ServerReport]) -> Verdict {
        if case .crashed(let reason) = attempt.end { return .crash(reason) }
        let byIndex = Dictionary(attempt.deliveries.map { ($0.outcome.index, $0) }) { first, _ in first }
        var failures: [String] = []
        for (index, request) in testCase.requests.enumerated() {
            guard let delivery = byIndex[index] else { continue }
            switch fault(delivery, request.expectation) {
            case nil: break
            case .wrongSuccess(let reason): return .wrongSuccess(title(index, testCase) + reason)
            case .dueSuccess(let reason): failures.append(title(index, testCase) + reason)
            }
        }
        let missing = testCase.requests.indices.first { byIndex[$0] == nil }
        if attempt.end == .killed { return .hang(missing.map { title($0, testCase) + "no end" } ?? "no end") }
        if missing != nil { return .crash("the process ended before its requests did") }
        if let violation = testCase.checks.lazy.compactMap({ $0.violation(reports, attempt) }).first {
            return testCase.isOptional ? .notOffered(violation) : .otherFailure(violation)
        }
        guard let failure = failures.first else { return .passed }
        return testCase.isOptional ? .notOffered(failure) : .otherFailure(failure)
    }

    private enum Fault {
        case wrongSuccess(String)
        case dueSuccess(String)
    }

    private static func fault(_ delivery: Attempt.Delivery, _ expectation: Expectation) -> Fault? {
        let outcome = delivery.outcome
        switch (expectation, outcome.status) {
        case (.anything, _), (.failure, nil), (.either, nil): return nil
        case (.success, nil): return .dueSuccess("error: \(outcome.error ?? "no reason")")
        case (.failure, let status?):
            return .wrongSuccess("status \(status) with \(delivery.body.count) bytes, where an error was due")
        case (.success(let answers), let status?), (.either(let answers), let status?):
            if answers.contains(where: { $0.fits(status, delivery.body) }) { return nil }
            return .wrongSuccess("status \(status) with \(delivery.body.count) bytes, which was not the response")
        }
    }

    /// Returns the name of a request; empty if the case has only one.
    private static func title(_ index: Int, _ testCase: FaultCase) -> String {
        testCase.requests.count > 1 ? "request \(index + 1): " : ""
    }
}
