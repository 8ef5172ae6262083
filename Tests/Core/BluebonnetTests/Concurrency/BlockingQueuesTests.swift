// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

struct BlockingQueuesTests {
    @Test func blockedWorkDoesNotDelayOtherWork() async {
        let queues = BlockingQueues(label: "org.bluebonnet.test", count: 4)
        let (gate, blockedCount, done) = (DispatchSemaphore(value: 0), Observed(0), Observed(0))
        for _ in 0..<3 {
            queues.async {
                blockedCount.update { $0 += 1 }
                gate.wait()
            }
        }
        await blockedCount.becomes { $0 == 3 }
        for _ in 0..<50 { queues.async { done.update { $0 += 1 } } }
        await done.becomes { $0 == 50 }
        for _ in 0..<3 { gate.signal() }
        #expect(done.value == 50)
    }

    /// Concurrent queues share libdispatch's default pool with Swift concurrency. The pool has twice as many threads
    /// as processors.
    @Test func workRunsWhileTheDefaultPoolIsBlocked() {
        let (gate, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let pool = DispatchQueue(label: "org.bluebonnet.test.pool", attributes: .concurrent)
        let count = 600
        for _ in 0..<count { pool.async { gate.wait() } }
        Queues.blocking.async { ended.signal() }
        Queues.preparation.next().async { ended.signal() }
        let results = (0..<2).map { _ in ended.wait(timeout: .now() + 60) }
        for _ in 0..<count { gate.signal() }
        pool.sync(flags: .barrier) {}
        #expect(results == [.success, .success])
    }
}
