// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The verdicts of a run.
package struct Results: Sendable {
    /// The verdict of one case with one client.
    package struct Entry: Sendable {
        package let testCase: FaultCase
        package let client: Client
        package let verdict: Verdict

        package init(testCase: FaultCase, client: Client, verdict: Verdict) {
            (self.testCase, self.client, self.verdict) = (testCase, client, verdict)
        }
    }

    package let versions: [Client: String]
    package let clients: [Client]
    package let entries: [Entry]

    package init(versions: [Client: String], clients: [Client], entries: [Entry]) {
        (self.versions, self.clients, self.entries) = (versions, clients, entries)
    }

    /// Returns the failures of a client in cases that it offers.
    package func failures(of client: Client) -> [Entry] {
        entries.filter { entry in
            guard entry.client == client else { return false }
            return switch entry.verdict {
            case .passed, .notOffered: false
            case .wrongSuccess, .hang, .crash, .otherFailure: true
            }
        }
    }

    /// Returns a verdict as one line.
    package static func title(of verdict: Verdict) -> String {
        let kind =
            switch verdict {
            case .passed: "passed"
            case .wrongSuccess: "WRONG SUCCESS"
            case .hang: "HANG"
            case .crash: "CRASH"
            case .otherFailure: "OTHER FAILURE"
            case .notOffered: "not offered"
            }
        return verdict.reason.map { "\(kind): \($0)" } ?? kind
    }
}

/// Counts verdicts by kind.
package struct Tally: Equatable, Sendable {
    package private(set) var passed = 0
    package private(set) var wrongSuccesses = 0
    package private(set) var hangs = 0
    package private(set) var crashes = 0
    package private(set) var otherFailures = 0
    package private(set) var notOffered = 0

    package init(_ verdicts: some Sequence<Verdict>) {
        for verdict in verdicts {
            switch verdict {
            case .passed: passed += 1
            case .wrongSuccess: wrongSuccesses += 1
            case .hang: hangs += 1
            case .crash: crashes += 1
            case .otherFailure: otherFailures += 1
            case .notOffered: notOffered += 1
            }
        }
    }

    /// The number of all verdicts.
    package var count: Int { figures.reduce(0, +) }

    /// The counts in the order of the table's columns.
    package var figures: [Int] { [passed, wrongSuccesses, hangs, crashes, otherFailures, notOffered] }

    /// The counts in words, without zeros.
    package var words: String {
        let names = ["passed", "wrong", "hung", "crashed", "failed", "not offered"]
        let parts = zip(figures, names).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? "–" : parts.joined(separator: ", ")
    }
}
