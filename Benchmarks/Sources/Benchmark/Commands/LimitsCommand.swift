// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
@_spi(Benchmarks) import BluebonnetTesting
import Dispatch
import Figures
import Foundation
import FoundationNetworking
import LoadClients

/// Measures a batch against a server that limits the rate of requests, and the cost of a governor without work.
struct LimitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "A batch against an nginx that limits the rate; what governor, retries and tokens cost.",
        discussion: """
            nginx answers \(NginxServer.limitedRate) requests a second, with a burst of 20, and 429 to the rest, without \
            saying for how long. The client is told nothing of that rate: its governor has to learn it. Goals: all \
            requests succeed, at 95 % of the rate at least, and less than 2 % of what is sent after the first second \
            is answered with 429. The exit status is 1 when one of them is missed.

            The cost is processor time of all threads in requests that never leave the process; the forms are \
            interleaved, in a new order each round. Compare the least figures. The last table is of requests to nginx: \
            requests a second, and processor time, with the part divided by those without it, medians and spreads over \
            the rounds.
            """)

    @Option(help: "How many requests are queued at once.")
    var count = 5000

    @Option(parsing: .upToNextOption, help: "How many transfers to the server the manager allows.")
    var perOrigin = [6, 64]

    @Option(help: "How many rounds the cost is measured in; 0 leaves it out.")
    var rounds = 15

    func validate() throws {
        guard count > 0, rounds >= 0, perOrigin.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("Counts have to be at least 1.")
        }
    }

    func run() throws {
        var isReached = true
        try Stage.withServer { _, server in
            for limit in perOrigin {
                let figures = try LimitedBatch(url: server.url("limited"), perOrigin: limit).run(count)
                print("\(limit) transfers at most: \(figures.text)")
                isReached = isReached && figures.isGoalReached
                sleep(2)  // until the server allows a burst again
            }
        }
        if rounds > 0 {
            GovernorCost(count: 20_000, rounds: rounds).measure()
            TokenCost(count: 10_000, rounds: rounds).measure()
            try Stage.withServer { _, server in
                try PartCost(url: server.url("tiny"), rounds: rounds).measure()
            }
        }
        if !isReached { throw ExitCode(1) }
    }
}

/// A batch whose server limits the rate.
private struct LimitedBatch {
    let url: URL
    let perOrigin: Int

    struct Figures {
        var count = 0
        var successCount = 0
        var seconds = 0.0
        /// The number of answers with status 429, in all and after the first second, and the number of all answers
        /// after it.
        var refusalCount = 0
        var lateRefusalCount = 0
        var lateAnswerCount = 0

        var rateShare: Double { Double(successCount) / seconds / Double(NginxServer.limitedRate) }
        var refusalShare: Double { Double(lateRefusalCount) / Double(max(lateAnswerCount, 1)) }
        var isGoalReached: Bool { successCount == count && rateShare >= 0.95 && refusalShare < 0.02 }

        var text: String {
            String(
                format:
                    "%d of %d succeeded in %.2f s, %.1f %% of the rate; %d answers were 429, after the first second "
                    + "%d (%.2f %%): %@", successCount, count, seconds, rateShare * 100, refusalCount, lateRefusalCount,
                refusalShare * 100, isGoalReached ? "yes" : "NO")
        }
    }

    func run(_ count: Int) -> Figures {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCountPerOrigin = perOrigin
        configuration.retryPolicy = .standard
        configuration.governor = Governor()
        configuration.responseSerializer = HTTPResponseSerializer()
        let manager = RequestOperationManager(configuration: configuration)
        let began = Date()
        let operations = (0..<count).map { _ in manager.operation(with: URLRequest(url: url)) }
        manager.operationQueue.addOperations(operations)
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        var figures = Figures(count: count)
        figures.seconds = Date().timeIntervalSince(began)
        for operation in operations { addFigures(of: operation, began, &figures) }
        return figures
    }

    private func addFigures(of operation: HTTPRequestOperation, _ began: Date, _ figures: inout Figures) {
        let refusals = operation.retries.map { $0.date.addingTimeInterval($0.duration / .seconds(1)) }
        let lateCount = refusals.count { $0.timeIntervalSince(began) > 1 }
        figures.refusalCount += refusals.count
        figures.lateRefusalCount += lateCount
        figures.lateAnswerCount += lateCount
        guard operation.error == nil else { return }
        figures.successCount += 1
        // `total` includes the time in the queue and the waits, and so begins when the operations were queued.
        if operation.summary.timings.total > .seconds(1) { figures.lateAnswerCount += 1 }
    }
}

/// The cost of a governor whose limits are not reached.
private struct GovernorCost {
    let count: Int
    let rounds: Int

    private enum Form: String, CaseIterable {
        case without = "without a governor"
        case idle = "with an idle governor"
    }

    func measure() {
        let managers: [Form: RequestOperationManager] = [.without: .inMemory(), .idle: .inMemory(governor: Governor())]
        var times: [Form: [Double]] = [:]
        for round in 0...rounds {
            for form in Form.allCases.shuffled() {
                guard let manager = managers[form] else { continue }
                let time = time(of: manager)
                if round > 0 { times[form, default: []].append(time) }  // the first round is the warm-up
            }
        }
        for form in Form.allCases {
            let sorted = (times[form] ?? []).sorted()
            guard let least = sorted.first else { continue }
            let median = sorted[sorted.count / 2]
            print(String(format: "%@: %.3f µs an operation at least, median %.3f µs", form.rawValue, least, median))
        }
    }

    /// Returns the processor time per operation, in microseconds.
    private func time(of manager: RequestOperationManager) -> Double {
        manager.responseSerializer = HTTPResponseSerializer()
        guard let url = URL(string: "http://127.0.0.1/") else { return 0 }
        let began = ProcessFigures.cpuSeconds
        for _ in 0..<count { manager.operationQueue.addOperation(manager.operation(with: URLRequest(url: url))) }
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        return (ProcessFigures.cpuSeconds - began) * 1e6 / Double(count)
    }
}
