// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Figures
import Synchronization

/// Assigns the numbers of a job's requests, and records the time and the fault of each. It does not depend on the
/// client. Any thread can use it.
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

    /// Returns the next request's number; nil if all have been assigned.
    func claim() -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < requestCount ? number : nil
    }

    /// Records the end of a request.
    func end(_ number: Int, began: Moment, fault: String?) {
        slots[number] = Float(began.microsecondsAgo)
        if let fault { recordError(fault) }
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    /// Waits until every request has ended.
    func wait() { isOver.wait() }

    /// The number of errors so far, and the text of the first.
    var outcome: (count: Int, first: String?) { errors.withLock { $0 } }

    /// The memory for the time of each request in microseconds, which a client that measures the times itself writes.
    var microseconds: UnsafeMutablePointer<Float> { slots }

    /// The summary of the recorded times.
    var latency: LatencySummary? {
        LatencySummary(microseconds: Array(UnsafeBufferPointer(start: slots, count: requestCount)))
    }

    /// Records an error, which need not belong to one request.
    func recordError(_ fault: String) {
        errors.withLock { errors in
            errors.count += 1
            if errors.first == nil { errors.first = fault }
        }
    }
}
