// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import Testing

@testable import Bluebonnet

// Functions that wait for events. Each fails the test if the event does not come in time. Each returns when the
// test's task is cancelled, so that a failing test does not delay other tests.

extension NetworkThread {
    /// Returns when the network thread has run all work submitted before, and the work that followed from it in the
    /// same round.
    func catchesUp(at location: SourceLocation = #_sourceLocation) async {
        for _ in 0..<2 {
            let roundEnds = Gate()
            submit { NetworkThread.shared.eventLoop.atEndOfRound { roundEnds.open() } }
            await roundEnds.wait(at: location)
        }
    }
}

extension RequestOperation {
    /// Returns when the operation has ended and its handlers have run. Otherwise fails the test, which
    /// `waitUntilEnded()` would not do.
    func ends(at location: SourceLocation = #_sourceLocation) async {
        let hasEnded = Gate()
        addBatchHandler { _ in hasEnded.open() }
        await hasEnded.wait(at: location)
    }
}

extension RequestOperationQueue {
    /// Returns when `waitUntilAllOperationsAreFinished` returns.
    func empties(at location: SourceLocation = #_sourceLocation) async {
        await onThreadOfItsOwn(at: location) { [self] in waitUntilAllOperationsAreFinished() }
    }
}

extension DispatchQueue {
    /// Returns when a serial queue has run all work submitted before.
    func catchesUp(at location: SourceLocation = #_sourceLocation) async {
        let hasRun = Gate()
        async { hasRun.open() }
        await hasRun.wait(at: location)
    }
}

extension Queues {
    /// Returns when the queues for small responses have run all work submitted before.
    static func processingCatchesUp(at location: SourceLocation = #_sourceLocation) async {
        for queue in [processing] + serialization { await queue.catchesUp(at: location) }
    }
}

extension DispatchGroup {
    /// Returns when the group is empty.
    func empties(at location: SourceLocation = #_sourceLocation) async {
        let isEmpty = Gate()
        notify(queue: .global()) { isEmpty.open() }
        await isEmpty.wait(at: location)
    }
}

/// Runs work that can block on a new thread.
func onThreadOfItsOwn(
    at location: SourceLocation = #_sourceLocation, _ work: @escaping @Sendable () -> Void
) async {
    let hasEnded = Gate()
    Thread.detachNewThread {
        work()
        hasEnded.open()
    }
    await hasEnded.wait(at: location)
}
