// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Dispatch
import Foundation
import Synchronization

/// One run: lines in, operations under way, result lines out. It knows neither options nor terminals.
final class BatchRun: Sendable {
    private struct State {
        var tally = RunTally()
        var isTotalKnown = false
    }

    /// The most operations of a stream whose results are not there yet; then reading waits.
    private static let streamLimit = 10_000

    private let runner: RequestLineRunner
    private let control: StopControl
    private let state: SharedState
    private let room = DispatchSemaphore(value: BatchRun.streamLimit)

    /// - Parameter onResult: called for each result, one at a time.
    init(
        settings: RequestLineRunner.Settings, control: StopControl,
        onResult: @escaping @Sendable (ResultLine) -> Void
    ) {
        let state = SharedState()
        runner = RequestLineRunner(settings: settings) { [room] line in
            state.update { $0.tally.note(line) }
            onResult(line)
            if line.outcome == .failure && settings.cancelsAtFirstFailure { control.stop(.operationFailed) }
            room.signal()
        }
        (self.control, self.state) = (control, state)
        control.onStop { [runner] reason in
            switch reason {
            case .interrupted, .resultsLost: runner.cancel()
            case .terminated: Task { await runner.drain() }
            case .operationFailed, .interruptedAgain: break
            }
        }
    }

    /// What the results so far say.
    var tally: RunTally { state.value.tally }

    /// Where the run stands, and whether all of its lines were read.
    var progress: (snapshot: RequestLineRunner.Snapshot, isTotalKnown: Bool) {
        let isTotalKnown = state.value.isTotalKnown
        return (runner.snapshot(largest: ProgressRenderer.transferCount), isTotalKnown)
    }

    /// Runs all of the input; returns when each line has had its result.
    ///
    /// - Throws: what is wrong with the line of a stream at which the reading stopped.
    func run(_ input: RunInput) async throws(CommandError) {
        let outcome: Result<Void, CommandError> =
            switch input {
            case .batch(let batch): .success(batch.nodes.forEach(runner.add))
            case .stream(let reader): await read(reader)
            }
        state.update { $0.isTotalKnown = true }
        await runner.waitUntilFinished()
        try outcome.get()
    }

    /// Starts the lines of a stream as they come, on a thread that may wait for them.
    private func read(_ reader: StreamReader) async -> Result<Void, CommandError> {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                var batch = StreamedBatch()
                done.resume(
                    returning: Result { () throws(CommandError) in
                        try batch.read(reader) { node in
                            room.wait()
                            runner.add(node)
                        }
                    })
            }
        }
    }
}

extension BatchRun {
    /// What several threads look at.
    private final class SharedState: Sendable {
        private let state = Mutex(State())

        var value: State { state.withLock { $0 } }

        func update(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
        }
    }
}
