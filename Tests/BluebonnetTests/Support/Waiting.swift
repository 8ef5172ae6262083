// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

@testable import Bluebonnet

// Waits for events. Each of them ends too when the test's time is up, so that a failing test holds up no other.

extension NetworkThread {
    /// Returns when everything has run that was given to the network thread before, and what followed from it in its
    /// round.
    func catchesUp() async {
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                submit { NetworkThread.shared.eventLoop.atEndOfRound { continuation.resume() } }
            }
        }
    }
}

extension RequestOperation {
    /// Returns when the operation has ended and its handlers have run, or when the test's time is up, which
    /// `finished()` would not notice.
    func ends() async {
        let ends = Witness()
        addBatchHandler { _ in ends.increment() }
        await ends.becomes { $0 == 1 }
    }
}

extension RequestOperationQueue {
    /// Returns when `waitUntilAllOperationsAreFinished` does.
    func empties() async {
        await onThreadOfItsOwn { [self] in waitUntilAllOperationsAreFinished() }
    }
}

extension DispatchQueue {
    /// Returns when a serial queue has run what was given to it before.
    func catchesUp() async {
        let runs = Witness()
        async { runs.increment() }
        await runs.becomes { $0 == 1 }
    }
}

extension Queues {
    /// Returns when the queues for small responses have run what was given to them before.
    static func processingCatchesUp() async {
        for queue in [processing] + serialization { await queue.catchesUp() }
    }
}

extension DispatchGroup {
    /// Returns when the group is empty.
    func empties() async {
        let runs = Witness()
        notify(queue: .global()) { runs.increment() }
        await runs.becomes { $0 == 1 }
    }
}

/// Runs what may block on a thread that is nobody else's.
func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) async {
    let runs = Witness()
    Thread.detachNewThread {
        work()
        runs.increment()
    }
    await runs.becomes { $0 == 1 }
}
