// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import Testing

@testable import Bluebonnet

// Waits for events. Each of them fails the test when the event does not come in time, and ends when the test's task is
// cancelled, so that a failing test holds up no other.

extension NetworkThread {
    /// Returns when everything has run that was given to the network thread before, and what followed from it in its
    /// round.
    func catchesUp(at location: SourceLocation = #_sourceLocation) async {
        for _ in 0..<2 {
            let roundEnds = Gate()
            submit { NetworkThread.shared.eventLoop.atEndOfRound { roundEnds.open() } }
            await roundEnds.wait(at: location)
        }
    }
}

extension RequestOperation {
    /// Returns when the operation has ended and its handlers have run, or fails the test, which `waitUntilEnded()`
    /// would not.
    func ends(at location: SourceLocation = #_sourceLocation) async {
        let hasEnded = Gate()
        addBatchHandler { _ in hasEnded.open() }
        await hasEnded.wait(at: location)
    }
}

extension RequestOperationQueue {
    /// Returns when `waitUntilAllOperationsAreFinished` does.
    func empties(at location: SourceLocation = #_sourceLocation) async {
        await onThreadOfItsOwn(at: location) { [self] in waitUntilAllOperationsAreFinished() }
    }
}

extension DispatchQueue {
    /// Returns when a serial queue has run what was given to it before.
    func catchesUp(at location: SourceLocation = #_sourceLocation) async {
        let hasRun = Gate()
        async { hasRun.open() }
        await hasRun.wait(at: location)
    }
}

extension Queues {
    /// Returns when the queues for small responses have run what was given to them before.
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

/// Runs what may block on a thread that is nobody else's.
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
