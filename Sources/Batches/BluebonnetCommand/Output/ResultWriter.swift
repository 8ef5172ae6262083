// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Dispatch
import Foundation
import Glibc

/// Writes whole result lines in the order in which they are appended.
///
/// Lines that are appended during a write are written together after it. If the reader is slow, `append` blocks, so
/// that at most a few megabytes wait in memory.
final class ResultWriter: Sendable {
    fileprivate struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        var isSealed = false
        var error: SystemError?
    }

    private static let waitingLimit = 8 << 20

    private let target: ResultTarget
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "org.bluebonnet.results")
    private let surround: @Sendable (() -> Void) -> Void
    private let onError: @Sendable () -> Void

    /// - Parameters:
    ///   - surround: calls the closure that it receives, which writes; for a terminal that also shows something else.
    ///   - onError: called once when lines cannot be written. Writing ends then.
    init(
        _ target: ResultTarget, surround: @escaping @Sendable (_ write: () -> Void) -> Void = { $0() },
        onError: @escaping @Sendable () -> Void
    ) {
        (self.target, self.surround, self.onError) = (target, surround, onError)
    }

    /// Appends a line, with its line end, to the lines to write.
    func append(_ line: Data) {
        let (mustStart, isFull) = state.withLock { state in
            guard state.error == nil, !state.isSealed else { return (false, false) }
            state.waiting.append(contentsOf: line)
            defer { state.isWriting = true }
            return (!state.isWriting, state.waiting.count > Self.waitingLimit)
        }
        if mustStart { queue.async { [self] in writeWaiting() } }
        if isFull { queue.sync {} }
    }

    /// Waits until all lines are written.
    ///
    /// - Throws: the error with which writing ended.
    func finish() throws(CommandError) {
        queue.sync {}
        guard let error = state.withLock({ $0.error }) else { return }
        throw CommandError.unusable("cannot write results to \(target.name): \(error); the run was stopped")
    }

    /// Ends the process without writing the lines that still wait. Lines that are being written to a regular file are
    /// completed first.
    func end(_ status: ExitStatus) -> Never {
        state.withLock { $0.isSealed = true }
        if target.isRegularFile { queue.sync { status.end() } }
        status.end()
    }

    private func writeWaiting() {
        while let bytes = state.withLock({ $0.removeWaiting() }) {
            var outcome = Result<Void, SystemError>.success(())
            surround { outcome = Result { () throws(SystemError) in try target.write(bytes) } }
            if case .failure(let error) = outcome {
                state.withLock { $0.error = error }
                onError()
            }
        }
    }
}

extension ResultWriter.State {
    /// Removes and returns the bytes to write next; nil if there are none, or if writing has ended.
    fileprivate mutating func removeWaiting() -> [UInt8]? {
        defer { waiting = [] }
        if !waiting.isEmpty && error == nil && !isSealed { return waiting }
        isWriting = false
        return nil
    }
}
