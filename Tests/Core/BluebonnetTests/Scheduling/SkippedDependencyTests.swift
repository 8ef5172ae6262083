// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SkippedDependencyTests {
    private let network = ScriptedNetwork()
    private let queue = RequestOperationQueue()

    init() { network.answer("/bad", with: [.fail(.cannotConnect)]) }

    private func run(_ operations: [HTTPRequestOperation]) async {
        queue.addOperations(operations)
        for operation in operations { await operation.ends() }
    }

    @Test func dependentOfFailedOperationIsSkippedWithReason() async {
        let (bad, next) = (network.operation("/bad"), network.operation("/next"))
        bad.name = "login"
        next.addDependency(bad, ifItFails: .skip)
        await run([next, bad])
        #expect(next.error?.code == .dependencyFailed)
        #expect(next.error?.message == "not started: \"login\" failed: as the script says")
        #expect((next.error?.underlying as? NetworkingError)?.code == .cannotConnect)
        #expect(next.error?.request?.url?.path == "/next")
        #expect(network.log.entries.value.paths == ["/bad"])
    }

    @Test func dependentOfSkippedOperationNamesFirstFailure() async {
        let all = [network.operation("/bad")] + (1...3).map { network.operation("/\($0)") }
        for (number, operation) in all.enumerated() { operation.name = "o\(number)" }
        for (earlier, later) in zip(all, all.dropFirst()) { later.addDependency(earlier, ifItFails: .skip) }
        await run(all)
        #expect(
            all[3].error?.message
                == "not started: \"o2\" was not started, because \"o0\" failed: as the script says")
        #expect((all[3].error?.underlying as? NetworkingError)?.code == .cannotConnect)
    }

    @Test func dependentOfCancelledOperationIsSkipped() async {
        let (first, next) = (network.operation("/1"), network.operation("/2"))
        first.name = "first"
        next.addDependency(first, ifItFails: .skip)
        first.cancel()
        await run([first, next])
        #expect(next.error?.code == .dependencyFailed)
        #expect(next.error?.message.hasPrefix("not started: \"first\" was cancelled") == true)
        #expect(network.log.requests.isEmpty)
    }

    @Test func dependentIsSkippedOnlyAfterAllDependenciesEnd() async {
        let gate = Gate()
        network.answer("/held", with: [.head(200), .wait(gate)])
        let (bad, running, next) = (network.operation("/bad"), network.operation("/held"), network.operation("/n"))
        for dependency in [bad, running] { next.addDependency(dependency, ifItFails: .skip) }
        queue.addOperations([next, bad, running])
        await bad.ends()
        await NetworkThread.shared.catchesUp()
        #expect(!next.isFinished)
        gate.open()
        await next.ends()
        #expect(next.error?.code == .dependencyFailed)
    }

    @Test func firstAddedDependencyIsNamed() async {
        let (one, two, next) = (network.operation("/bad"), network.operation("/bad"), network.operation("/n"))
        (one.name, two.name) = ("one", "two")
        for dependency in [two, one] { next.addDependency(dependency, ifItFails: .skip) }
        await run([one, two, next])
        #expect(next.error?.message.contains("\"two\"") == true)
    }

    @Test func plainDependencyOnFailedOperationSkipsNothing() async {
        let (bad, good, next) = (network.operation("/bad"), network.operation("/1"), network.operation("/n"))
        next.addDependency(bad)
        next.addDependency(good, ifItFails: .skip)
        await run([bad, good, next])
        #expect(next.error == nil)
    }

    @Test func stricterOfTwoPoliciesApplies() async {
        let (bad, next) = (network.operation("/bad"), network.operation("/n"))
        next.addDependency(bad, ifItFails: .skip)
        next.addDependency(bad)
        await run([bad, next])
        #expect(next.error?.code == .dependencyFailed)
    }

    @Test func removedDependencySkipsNothing() async {
        let (bad, other, next) = (network.operation("/bad"), network.operation("/1"), network.operation("/n"))
        next.addDependency(bad, ifItFails: .skip)
        next.addDependency(other)
        await run([bad])
        next.removeDependency(bad)
        await run([other, next])
        #expect(next.error == nil)
    }

    @Test func dependencyFailedBeforeAddingSkipsDependent() async {
        let (bad, next) = (network.operation("/bad"), network.operation("/n"))
        await run([bad])
        next.addDependency(bad, ifItFails: .skip)
        #expect(next.isReady)
        await run([next])
        #expect(next.error?.code == .dependencyFailed)
        #expect(network.log.entries.value.paths == ["/bad"])
    }

    @Test func cancelledDependentIsNotSkipped() async {
        let (bad, next) = (network.operation("/bad"), network.operation("/n"))
        next.addDependency(bad, ifItFails: .skip)
        next.cancel()
        await run([bad, next])
        #expect(next.error?.code == .cancelled)
    }

    @Test func cancelledForeignDependencySkipsDependent() async {
        let (block, next) = (BlockOperation {}, network.operation("/n"))
        block.name = "block"
        next.addDependency(block, ifItFails: .skip)
        block.cancel()
        queue.addOperation(block)
        await run([next])
        #expect(next.error?.message == "not started: \"block\" was cancelled")
    }

    @Test func dependentIsSkippedInOperationQueue() async {
        let plain = OperationQueue()
        let (bad, next) = (network.operation("/bad"), network.operation("/n"))
        next.addDependency(bad, ifItFails: .skip)
        for operation in [next, bad] { plain.addOperation(operation) }
        await next.ends()
        #expect(next.error?.code == .dependencyFailed)
        await onThreadOfItsOwn { plain.waitUntilAllOperationsAreFinished() }
    }

    @Test func longChainIsSkippedAndReleased() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            network.answer("/bad", with: [.fail(.cannotConnect)])
            weak var weakLast: HTTPRequestOperation?
            do {
                let queue = RequestOperationQueue()
                var all = [network.operation("/bad")]
                for _ in 0..<20_000 {
                    let next = network.operation("/n")
                    next.addDependency(all[all.count - 1], ifItFails: .skip)
                    all.append(next)
                }
                queue.addOperations(all)
                await queue.empties()
                precondition(all.dropFirst().allSatisfy { $0.error?.code == .dependencyFailed })
                precondition(network.log.requests.count == 1)
                weakLast = all.last
            }
            await NetworkThread.shared.catchesUp()
            precondition(weakLast == nil, "the chain was not released")
        }
    }

    @Test func longChainIsCancelledAndReleased() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            let gate = Gate()
            network.answer("/held", with: [.wait(gate)])
            let queue = RequestOperationQueue()
            var all = [network.operation("/held")]
            for _ in 0..<20_000 {
                let next = network.operation("/n")
                next.addDependency(all[all.count - 1])
                all.append(next)
            }
            queue.addOperations(all)
            queue.cancelAllOperations()
            await queue.empties()
            precondition(all.allSatisfy { $0.error?.code == .cancelled })
        }
    }

    @Test func unstartedChainOfRequestClosuresIsReleased() async {
        await #expect(processExitsWith: .success) {
            let manager = ScriptedNetwork().manager()
            let request = ScriptedNetwork().request("/a")
            weak var first: HTTPRequestOperation?
            do {
                var last = manager.operation(with: request)
                first = last
                for _ in 0..<100_000 {
                    last = manager.operation(after: []) { [last] in
                        last.request ?? request
                    }
                }
            }
            precondition(first == nil, "the first of the chain was not released")
        }
    }
}
