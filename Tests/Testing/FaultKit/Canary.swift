// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
public import Foundation
import FoundationNetworking

/// Sends small requests to a healthy server, one after another, and measures how long each takes. Long times show
/// that faults elsewhere delay the network thread.
///
/// A request passes through five threads before its answer arrives. A separate thread measures at the same time how
/// late the machine wakes threads. Five such delays count as the machine's, not the network thread's.
public final class Canary: Sendable {
    /// The measurements.
    public struct Report: Sendable {
        /// The number of answered requests.
        public var answerCount = 0
        /// The longest time of a request, minus the machine's delays.
        public var longest = Duration.zero
        /// The longest time of a request, as measured.
        public var longestMeasured = Duration.zero
        /// The errors of requests that were not answered.
        public var failures: [String] = []

        /// Violations of the rule that every answer arrives within 250 ms.
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

    /// Starts sending requests.
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

    /// Returns the measurements so far and starts a new report.
    public func startNewReport() -> Report {
        report.withLock { report in
            defer { report = Report() }
            return report
        }
    }

    /// Stops, and returns the measurements.
    public func stop() async -> Report {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
        starvation.stop()
        return startNewReport()
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
