// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Dispatch
import Foundation
import Glibc

/// Writes result lines, whole ones, in the order in which they come.
///
/// Lines that come while others are being written go out together after them. When a reader is slow, `append` waits, so
/// that it keeps a few megabytes at most.
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
    ///   - surround: is given what writes, and calls it; for a terminal that shows something else too.
    ///   - onError: called once, when lines cannot be written; writing ends then.
    init(
        _ target: ResultTarget, surround: @escaping @Sendable (_ write: () -> Void) -> Void = { $0() },
        onError: @escaping @Sendable () -> Void
    ) {
        (self.target, self.surround, self.onError) = (target, surround, onError)
    }

    /// Hands a line, with its line end, over to be written.
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

    /// Waits until everything is written.
    ///
    /// - Throws: why lines could not be written.
    func finish() throws(CommandError) {
        queue.sync {}
        guard let error = state.withLock({ $0.error }) else { return }
        throw CommandError.unusable("cannot write results to \(target.name): \(error); the run was stopped")
    }

    /// Ends the process without writing what still waits; a file gets the lines whole that are being written to it.
    func end(_ status: ExitStatus) -> Never {
        state.withLock { $0.isSealed = true }
        if target.isRegularFile { queue.sync { status.end() } }
        status.end()
    }

    private func writeWaiting() {
        while let bytes = state.withLock({ $0.takeWaiting() }) {
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
    /// The bytes to write next; nil if there are none, or if writing has ended.
    fileprivate mutating func takeWaiting() -> [UInt8]? {
        defer { waiting = [] }
        if !waiting.isEmpty && error == nil && !isSealed { return waiting }
        isWriting = false
        return nil
    }
}
