// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
@_spi(Benchmarks) import BluebonnetTesting
import Dispatch
import Figures
import Foundation
import LoadClients
import Synchronization

/// Measures the cost of async calls, compared with the same calls with callbacks.
struct CallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "Calls that wait, with a type or without, beside the same calls with callbacks.",
        discussion: """
            Requests never leave the process and are answered at once, with no body: what is left is the library's own \
            work and Swift's. Each call in flight is followed by the next one: in its handler, or in its task. The \
            time is processor time of all threads. Compare the least figures of two forms: a round has others beside \
            it. Goal: a call that waits takes at most 1.5 µs more than the same call with callbacks.
            """)

    @Option(help: "How many calls a round has.")
    var count = 20_000

    @Option(help: "How many rounds each form has; they are interleaved, in a new order each time.")
    var rounds = 15

    @Option(help: "How many calls are in flight.")
    var inFlight: [Int] = [1, 64]

    func run() throws {
        for width in inFlight {
            let forms = CallForm.allCases
            for form in forms { form.run(count / 4, inFlight: width) }
            var times: [CallForm: [Double]] = [:]
            for _ in 0..<max(rounds, 1) {
                for form in forms.shuffled() {
                    let began = ProcessFigures.cpuSeconds
                    form.run(count, inFlight: width)
                    times[form, default: []].append((ProcessFigures.cpuSeconds - began) * 1e6 / Double(count))
                }
            }
            for form in forms {
                let sorted = (times[form] ?? []).sorted()
                guard let least = sorted.first else { continue }
                let (low, middle) = (Self.text(least), Self.text(sorted[sorted.count / 2]))
                print("\(width) in flight, \(form.rawValue): \(low) µs at least, median \(middle) µs")
            }
        }
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}

/// A way to write a call.
private enum CallForm: String, CaseIterable {
    case dataWithCallbacks = "data, callbacks"
    case dataThatWaits = "data, waiting"
    case responseThatWaits = "response, waiting"
    case textWithCallbacks = "text, callbacks"
    case textThatWaits = "text, waiting"

    private static let url = "http://127.0.0.1/"
    private static let manager = {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }()

    /// Makes calls. Returns when all have ended.
    func run(_ count: Int, inFlight: Int) {
        let calls = CallCount(count, inFlight: inFlight)
        for _ in 0..<inFlight {
            switch self {
            case .dataWithCallbacks: Self.next(calls, HTTPResponseSerializer())
            case .textWithCallbacks: Self.next(calls, StringResponseSerializer())
            case .dataThatWaits: Task { while calls.claim() { let _: Data = try await Self.manager.get(Self.url) } }
            case .textThatWaits: Task { while calls.claim() { let _: String = try await Self.manager.get(Self.url) } }
            case .responseThatWaits: Task { while calls.claim() { try await Self.manager.get(Self.url) } }
            }
        }
        calls.wait()
    }

    private static func next(_ calls: CallCount, _ serializer: some ResponseSerializer) {
        guard calls.claim() else { return }
        manager.get(
            url, responseSerializer: serializer, success: { _, _ in next(calls, serializer) },
            failure: { _, error in preconditionFailure("\(error)") })
    }
}

/// Counts the remaining calls and the calls in flight. Any thread.
private final class CallCount: Sendable {
    private let left: Atomic<Int>
    private let inFlight: Atomic<Int>
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ count: Int, inFlight: Int) {
        left = Atomic(count)
        self.inFlight = Atomic(inFlight)
    }

    /// Claims the next call. Returns false if none is left.
    func claim() -> Bool {
        if left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 { return true }
        if inFlight.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { hasEnded.signal() }
        return false
    }

    func wait() { hasEnded.wait() }
}
