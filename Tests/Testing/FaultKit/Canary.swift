// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
public import Foundation
import FoundationNetworking

/// Sends small requests to a server that nothing is wrong with, one after another, and measures how long each takes:
/// whether faults elsewhere hold the network thread up.
///
/// A request passes five threads until its answer is here. Where the machine wakes threads late, as a thread of its own
/// measures at the same time, five such delays are the machine's and not the network thread's.
public final class Canary: Sendable {
    /// What was measured.
    public struct Report: Sendable {
        /// How many requests were answered.
        public var answerCount = 0
        /// The longest time of a request, without what the machine was late.
        public var longest = Duration.zero
        /// The longest time of a request, as it was.
        public var longestMeasured = Duration.zero
        /// Requests that were not answered, with their errors.
        public var failures: [String] = []

        /// What is wrong by the rule: an answer within 250 ms, always.
        public var faults: [String] {
            if !failures.isEmpty { return ["the canary was not answered: \(failures.prefix(3))"] }
            if answerCount == 0 { return ["the canary sent nothing"] }
            guard longest > .milliseconds(250) else { return [] }
            return ["the canary waited \(longest), measured \(longestMeasured)"]
        }
    }

    private static let wakeUps = 5
    private let manager = RequestOperationManager()
    private let starvation = Starvation()
    private let report = Mutex(Report())
    private let task: Mutex<Task<Void, Never>?>

    /// Begins.
    public init(url: URL) {
        task = Mutex(nil)
        manager.responseSerializer = HTTPResponseSerializer()
        let running = Task { [self] in
            while !Task.isCancelled {
                await ask(url)
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        task.withLock { $0 = running }
    }

    /// What was measured so far; begins anew.
    public func takeReport() -> Report {
        report.withLock { report in
            defer { report = Report() }
            return report
        }
    }

    /// Ends, and returns what was measured.
    public func stop() async -> Report {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
        starvation.stop()
        return takeReport()
    }

    private func ask(_ url: URL) async {
        let operation = manager.operation("GET", url.absoluteString)
        let begin = ContinuousClock.now
        let end = Mutex<ContinuousClock.Instant?>(nil)
        operation.addCompletion { _, _ in end.withLock { $0 = .now } }
        manager.enqueue(operation)
        let text = await withCheckedContinuation { done in
            operation.addCompletion { _, result in
                if case .failure(let error) = result {
                    done.resume(returning: "\(error)")
                } else {
                    done.resume(returning: "")
                }
            }
        }
        let ended = end.withLock { $0 } ?? .now
        let late = starvation.longestDelay(from: begin, to: ended)
        report.withLock { report in
            guard text.isEmpty else { return report.failures.append(text) }
            report.answerCount += 1
            report.longestMeasured = max(report.longestMeasured, ended - begin)
            report.longest = max(report.longest, ended - begin - late * Self.wakeUps)
        }
    }
}
