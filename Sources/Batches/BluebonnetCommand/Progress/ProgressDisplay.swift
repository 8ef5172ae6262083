// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import BluebonnetLocks
import Dispatch
import Foundation

/// Shows a run's progress on standard error: bars that a timer redraws in place, or plain lines.
///
/// Writes happen under the lock, so that outputs do not interleave.
final class ProgressDisplay: Sendable {
    /// Returns the state of the run, and whether all of its lines were read. The timer calls it.
    typealias Source = @Sendable () -> (snapshot: RequestLineRunner.Snapshot, isTotalKnown: Bool)

    fileprivate struct State {
        var screen = BarScreen()
        var history = ProgressHistory()
        var lines: [String] = []
        var isSuspended = false
        var isOver = false
    }

    private let style: ProgressStyle
    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "org.bluebonnet.progress")
    private let write: @Sendable (String) -> Void

    /// Makes a display that shows nothing yet.
    init(_ style: ProgressStyle, write: @escaping @Sendable (String) -> Void = StandardError.write) {
        (self.style, self.write) = (style, write)
    }

    /// Shows the state that `source` returns until the display ends: bars ten times per second, plain lines once per
    /// second.
    func show(_ source: @escaping Source) {
        queue.asyncAfter(deadline: .now() + (style == .bars ? 0.1 : 1)) { [self] in
            let (snapshot, isTotalKnown) = source()
            if update(snapshot, isTotalKnown: isTotalKnown) { show(source) }
        }
    }

    /// Shows the state of the run. Returns false if the display has ended.
    private func update(_ snapshot: RequestLineRunner.Snapshot, isTotalKnown: Bool) -> Bool {
        let elapsed = elapsed
        return state.withLock { state in
            let reading = state.history.reading(of: snapshot, isTotalKnown: isTotalKnown, at: elapsed)
            guard !state.isSuspended && !state.isOver else { return !state.isOver }
            switch style {
            case .plain: write(ProgressRenderer.text(reading) + "\n")
            case .bars:
                let size = TerminalSize.current
                // A full last column would make some terminals wrap to the next line.
                let lines = ProgressRenderer(width: size.columnCount - 1).lines(reading)
                state.lines = Array(lines.prefix(max(1, size.rowCount - 1)))
                write(state.screen.draw(state.lines))
            }
            return true
        }
    }

    private var elapsed: Double {
        let parts = start.duration(to: .now).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}

// MARK: - Sharing the terminal

extension ProgressDisplay {
    /// Removes the bars while `writing` writes to the same terminal.
    func whileErased(_ writing: () -> Void) {
        state.withLock { state in
            let isShown = !state.lines.isEmpty && !state.isSuspended
            if isShown { write(state.screen.erase()) }
            writing()
            if isShown { write(state.screen.draw(state.lines)) }
        }
    }

    /// Removes the bars until `resume()` is called.
    func suspend() {
        state.withLock { suspend(&$0) }
    }

    /// Shows bars again, beginning with the next update.
    func resume() {
        state.withLock { $0.isSuspended = false }
    }

    /// Ends the display, and replaces the bars by a summary.
    func finish(_ summary: String) {
        state.withLock { state in
            suspend(&state)
            state.isOver = true
            if !summary.isEmpty { write(summary) }
        }
    }

    /// Restores the terminal, because the process is about to end. Waits for a thread that is writing to it, at most
    /// for `patience` in case the terminal accepts no output.
    func restoreTerminal(patience: DispatchTimeInterval = .milliseconds(250)) {
        let isRestored = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            suspend()
            isRestored.signal()
        }
        _ = isRestored.wait(timeout: .now() + patience)
    }

    private func suspend(_ state: inout State) {
        state.isSuspended = true
        write(state.screen.erase())
    }
}
