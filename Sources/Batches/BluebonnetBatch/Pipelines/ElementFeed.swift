// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// The responses whose elements one line with `each` has not used yet. Any thread.
///
/// While the line runs, a source makes its next page when the line has used the pages before: memory holds one page.
/// Before the line runs, pages are kept, because the line may wait for the last one.
final class ElementFeed: Sendable {
    /// A response with elements.
    struct Arrival: Sendable {
        let id: String
        let source: ReferenceSource
        /// The path of the elements, if the line does not name one.
        let items: JSONPath
    }

    /// How the source of the responses has ended.
    struct Ending: Sendable {
        let outcome: ResultLine.Outcome
        /// The reason to skip the line; nil after a success.
        let reason: String?
    }

    private struct State {
        var responses: [Arrival] = []
        var ending: Ending?
        /// Whether the line uses responses now, or has ended.
        var isOpen = false
        /// Whether the line uses no further responses.
        var isAbandoned = false
        var isUsing = false
        /// Calls that wait until all responses have been used.
        var drainWaits: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    func add(_ response: Arrival) {
        state.withLock { state in
            if !state.isAbandoned { state.responses.append(response) }
        }
        wake.signal()
    }

    /// Records the end of the source. No response follows.
    func close(_ ending: Ending) {
        state.withLock { $0.ending = $0.ending ?? ending }
        wake.signal()
    }

    /// Makes sources wait until the line has used their responses.
    func open() { state.withLock { $0.isOpen = true } }

    /// Drops the responses, because the line uses no further ones.
    func abandon() {
        let waits = state.withLock { state in
            (state.isAbandoned, state.responses) = (true, [])
            defer { state.drainWaits = [] }
            return state.drainWaits
        }
        wake.signal()
        for wait in waits { wait() }
    }

    /// Calls `body` when the line has used all responses, at once if it does not run yet.
    func whenDrained(_ body: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.isAbandoned || !state.isOpen || state.responses.isEmpty && !state.isUsing { return true }
            state.drainWaits.append(body)
            return false
        }
        if isDrained { body() }
    }

    /// Waits for the next response. Nil after the last one.
    func next() -> Arrival? {
        while true {
            let (response, isAtEnd, waits) = state.withLock { state -> (Arrival?, Bool, [@Sendable () -> Void]) in
                state.isUsing = !state.responses.isEmpty
                if let first = state.responses.first {
                    state.responses.removeFirst()
                    return (first, false, [])
                }
                defer { state.drainWaits = [] }
                return (nil, state.isAbandoned || state.ending != nil, state.drainWaits)
            }
            for wait in waits { wait() }
            if let response { return response }
            if isAtEnd { return nil }
            wake.wait()
        }
    }

    /// How the source has ended; nil if it has not.
    var ending: Ending? { state.withLock { $0.ending } }
}
