// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Figures
import Synchronization

/// Hands out the numbers of a job's requests and takes down how long each took and what was wrong. It does not know the
/// client; any thread may use it.
final class Ledger: @unchecked Sendable {  // safe: a slot is written once, by its request, and read after the last
    private let requestCount: Int
    private let slots: UnsafeMutablePointer<Float>
    private let next = Atomic(0)
    private let left: Atomic<Int>
    private let errors = Mutex<(count: Int, first: String?)>((0, nil))
    private let isOver = DispatchSemaphore(value: 0)

    init(requestCount: Int) {
        self.requestCount = requestCount
        slots = .allocate(capacity: requestCount)
        slots.initialize(repeating: 0, count: requestCount)
        left = Atomic(requestCount)
    }

    deinit { slots.deallocate() }

    /// The next request's number; nil when all have been given out.
    func claim() -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < requestCount ? number : nil
    }

    /// A request has ended.
    func end(_ number: Int, began: Moment, fault: String?) {
        slots[number] = Float(began.microsecondsAgo)
        if let fault { note(fault) }
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    /// Waits until every request has ended.
    func wait() { isOver.wait() }

    /// Errors so far, and the first one's text.
    var outcome: (count: Int, first: String?) { errors.withLock { $0 } }

    /// Where a client that does its work elsewhere writes the microseconds of each request.
    var microseconds: UnsafeMutablePointer<Float> { slots }

    /// Of the times that were taken down.
    var latency: LatencySummary? {
        LatencySummary(microseconds: Array(UnsafeBufferPointer(start: slots, count: requestCount)))
    }

    /// Notes an error, also one that is not of one request.
    func note(_ fault: String) {
        errors.withLock { errors in
            errors.count += 1
            if errors.first == nil { errors.first = fault }
        }
    }
}
