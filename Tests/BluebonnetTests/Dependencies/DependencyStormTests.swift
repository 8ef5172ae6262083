// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

@testable import Bluebonnet

/// Dependents that come and go on one thread while what they wait for ends on another.
@Suite(.timeLimit(.minutes(2))) struct DependencyStormTests {
    private let network = ScriptedNetwork()

    @Test func dependentsMayBeDroppedWhileWhatTheyWaitForEnds() async {
        for round in 0..<300 {
            let first = network.operation("/\(round)")
            let dependents = Observed((0..<20).map { network.operation("/\($0)") })
            for (number, dependent) in dependents.value.enumerated() {
                dependent.addDependency(first)
                if number % 2 == 0 { #expect(!dependent.isReady) }  // from now on it has to be told
            }
            first.start()
            let isDone = Task.detached {
                while dependents.update({ $0.popLast() }) != nil {}
            }
            await first.ends()
            await isDone.value
            #expect(first.error == nil)
        }
    }

    @Test(arguments: [false, true])
    func aDependentIsStartedThatIsAddedWhileWhatItWaitsForEnds(toPlainQueue: Bool) async {
        let (queue, plainQueue) = (RequestOperationQueue(), OperationQueue())
        for round in 0..<300 {
            let (first, second) = (network.operation("/\(round)"), network.operation("/next"))
            second.addDependency(first)
            let isAdded = Task.detached {
                if toPlainQueue { plainQueue.addOperation(second) } else { queue.addOperation(second) }
            }
            first.start()
            await isAdded.value
            await second.ends()
            #expect(first.isFinished && second.error == nil)
        }
    }

    @Test func anEdgeThatComesWhileItsDependencyEndsHoldsNothingUp() async {
        let queue = RequestOperationQueue()
        for round in 0..<300 {
            let (first, second) = (network.operation("/\(round)"), network.operation("/next"))
            let isAdded = Task.detached {
                second.addDependency(first)
                queue.addOperation(second)
            }
            first.start()
            await isAdded.value
            await second.ends()
            #expect(first.isFinished && second.error == nil)
        }
    }
}
