// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization

/// Performs pieces of work on several threads, in order, and returns the results in the same order.
final class WorkQueue<Work: Sendable, Result: Sendable>: Sendable {
    private struct State {
        var next = 0
        var results: [Int: Result] = [:]
        var failure: (any Error)?
    }

    private let works: [Work]
    private let perform: @Sendable (Work) throws -> Result
    private let state = Mutex(State())

    init(_ works: [Work], _ perform: @escaping @Sendable (Work) throws -> Result) {
        (self.works, self.perform) = (works, perform)
    }

    /// - Throws: the first error. Work that has not begun is then skipped.
    func run(threadCount: Int) throws -> [Result] {
        let group = DispatchGroup()
        for _ in 0..<max(1, threadCount) {
            group.enter()
            Thread.detachNewThread { [self] in
                while let index = claim() { perform(index) }
                group.leave()
            }
        }
        group.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return works.indices.compactMap { state.results[$0] }
        }
    }

    private func claim() -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.next < works.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    private func perform(_ index: Int) {
        do {
            let result = try perform(works[index])
            state.withLock { $0.results[index] = result }
        } catch {
            state.withLock { state in if state.failure == nil { state.failure = error } }
        }
    }
}
