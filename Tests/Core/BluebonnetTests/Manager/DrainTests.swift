// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct DrainTests {
        private func manager(limit: Int = 64) -> RequestOperationManager {
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCount = limit
            let manager = RequestOperationManager(configuration: configuration)
            manager.responseSerializer = HTTPResponseSerializer()
            return manager
        }

        /// Answers when the gate is open; paths that begin with /now are answered at once.
        private func waiting(for gate: Gate, _ path: String = "") -> TestServer.Script {
            { request in
                request.path.hasPrefix("/now")
                    ? .response(body: "now") : Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
            }
        }

        /// Returns when a drain has suspended the queue and seen the current operations.
        private func hasBegun(_ manager: RequestOperationManager) async {
            await becomes(true) { manager.operationQueue.isSuspended }
            await NetworkThread.shared.catchesUp()
        }

        private func start(_ manager: RequestOperationManager, _ url: URL, count: Int) -> [HTTPRequestOperation] {
            (0..<count).map { _ in manager.started("GET", url.absoluteString) }
        }

        @Test func emptyManagerDrainsAtOnce() async {
            let expired = Observed(0)
            let summary = await manager().drain(timeout: .seconds(60)) { expired.increment() }
            #expect(summary.finished.isEmpty && summary.unstarted.isEmpty && summary.cancelled.isEmpty)
            #expect(!summary.hasExpired)
            #expect(expired.value == 0)
            #expect(await !manager().drain(timeout: .zero).hasExpired)
        }

        @Test func startedOperationsFinishAndNoneStartDuringDrain() async throws {
            let gate = Gate()
            try await TestServer.serving(script: waiting(for: gate)) { server in
                let manager = manager(limit: 2)
                let handled = Observed(0)
                let operations = start(manager, server.url("/late"), count: 5)
                for operation in operations { operation.setCompletionBlock(success: { _, _ in handled.increment() }) }
                await server.waitForRequests(count: 2)
                async let drained = manager.drain(timeout: .seconds(100)) { handled.update { $0 += 100 } }
                // Added during the drain or before it. The operation is not started in either case.
                let late = manager.started("GET", server.url("/now").absoluteString)
                await hasBegun(manager)
                try? await late.waitUntilEnded()  // while other operations run
                #expect(late.code == .notStarted)
                gate.open()
                let summary = await drained
                #expect(summary.finished.count == 2)
                #expect(summary.finished.allSatisfy { $0.isFinished })
                #expect(summary.unstarted.count >= 3)
                #expect(!summary.hasExpired && summary.cancelled.isEmpty)
                #expect(handled.value == 2)
                await manager.operationQueue.empties()
                #expect(operations.filter { $0.code == .notStarted }.count == 3)
                #expect(server.requests.count == 2)
            }
        }

        @Test func callsOfDrainedManagerFailWithReason() async throws {
            try await TestServer.answering(.response(body: "now")) { server in
                let manager = manager()
                _ = await manager.drain(timeout: .zero)
                let url = server.url().absoluteString
                let error = await #expect(throws: NetworkingError.self) { try await manager.get(url, as: Data.self) }
                #expect(error?.code == .notStarted)
                #expect(error?.message.contains("the manager was drained") == true)
                let started = manager.operation("GET", url)
                started.start()
                await started.ends()
                #expect(started.code == .notStarted)
                let (elsewhere, other) = (RequestOperationQueue(), manager.operation("GET", url))
                elsewhere.addOperation(other)
                await other.ends()
                #expect(other.code == .notStarted)
                let members = [manager.operation("GET", url), manager.operation("GET", url)]
                _ = await manager.run(Batch(of: members))
                #expect(members.allSatisfy { $0.code == .notStarted })
                let after = manager.operation("GET", url)
                after.addDependency(manager.started("GET", url))
                manager.enqueue(after)
                await after.ends()
                let block = BlockOperation { Issue.record("a drained manager ran a block") }
                manager.operationQueue.addOperation(block)
                await manager.operationQueue.empties()
                #expect(block.isCancelled && server.requests.isEmpty)
            }
        }

        /// Requests that are made at the start wait for their slots without a queue, and so do operations without a
        /// queue.
        @Test func operationsWaitingForSlotOutsideTheQueueEnd() async throws {
            try await TestServer.answering(.stall) { server in
                let (manager, queue) = (manager(limit: 1), RequestOperationQueue())
                let url = server.url().absoluteString
                let running = manager.operation("POST", url, body: .json(["a": 1]))
                let queued = (0..<2).map { _ in manager.operation("POST", url, body: .json(["a": 1])) }
                let started = manager.operation("GET", url)
                queue.addOperation(running)
                await server.waitForRequests(count: 1)
                queue.addOperations(queued)
                started.start()
                for operation in queued + [started] {
                    await becomes(
                        "the manager runs at most 1 transfer at once (maximumConcurrentTransferCount)"
                    ) {
                        await operation.waitReason?.description
                    }
                }
                let summary = await manager.drain(timeout: .zero)
                #expect(Set(summary.unstarted) == Set(queued + [started]))
                #expect((queued + [started]).allSatisfy { $0.code == .notStarted })  // the drain has waited for them
                running.cancel()
                await queue.empties()
            }
        }

        /// Members that were not started do not count as failures, which would cancel the others.
        @Test(arguments: [Batch.FailurePolicy.cancelAtFirstFailure, .carryOn])
        func runningMembersOfABatchFinish(policy: Batch.FailurePolicy) async throws {
            let gate = Gate()
            try await TestServer.serving(script: waiting(for: gate)) { server in
                let manager = manager(limit: 1)
                let members = (0..<2).map { _ in manager.operation("GET", server.url("/late").absoluteString) }
                var options = Batch.Options()
                options.failurePolicy = policy
                let batch = manager.enqueue(Batch(of: members, options: options))
                await server.waitForRequests(count: 1)
                async let drained = manager.drain(timeout: .seconds(100))
                await hasBegun(manager)
                gate.open()
                #expect(await drained.finished.compactMap { $0 as? HTTPRequestOperation } == [members[0]])
                let counts = try await batch.outcome().counts
                #expect(counts.successCount == 1 && counts.cancelledCount == 1)
            }
        }

        @Test func operationsWaitingInOtherQueuesEnd() async throws {
            try await TestServer.answering(.stall) { server in
                let (manager, queue) = (manager(limit: 1), RequestOperationQueue())
                let operations = (0..<3).map { _ in manager.operation("GET", server.url().absoluteString) }
                queue.addOperations(operations)
                await server.waitForRequests(count: 1)
                let summary = await manager.drain(timeout: .milliseconds(1))
                await queue.empties()
                #expect(summary.cancelled == [operations[0]])
                #expect(Set(summary.unstarted) == Set(operations[1...]))
                #expect(operations.map(\.code) == [.cancelled, .notStarted, .notStarted])
            }
        }

        @Test func operationPausedBeforeStartEndsOnResume() async throws {
            let manager = manager()
            let operation = manager.operation("GET", "http://127.0.0.1:1/")
            operation.pause()
            manager.enqueue(operation)
            #expect(await manager.drain(timeout: .zero).paused == [operation])
            #expect(operation.isPaused)
            operation.resume()
            await operation.ends()
            #expect(operation.code == .notStarted)
        }

        /// A queue had selected the operation before the pause. The operation resumes without its queue.
        @Test func operationStartedWhilePausedEndsOnResume() async throws {
            let manager = manager()
            let operation = manager.operation("GET", "http://127.0.0.1:1/")
            operation.pause()
            operation.start()
            _ = await manager.drain(timeout: .zero)
            #expect(operation.isPaused)
            operation.resume()
            await operation.ends()
            #expect(operation.code == .notStarted)
        }

        @Test func redirectOfRunningOperationIsFollowed() async throws {
            let gate = Gate()
            let script: TestServer.Script = { request in
                request.path == "/start"
                    ? Reply([.wait(until: gate)] + Reply.redirect(to: "/end").steps) : .response(body: "end")
            }
            try await TestServer.serving(script: script) { server in
                let manager = manager()
                let operation = manager.started("GET", server.url("/start").absoluteString)
                await server.waitForRequests(count: 1)
                async let drained = manager.drain(timeout: .seconds(100))
                await hasBegun(manager)
                gate.open()
                #expect(await drained.finished == [operation])
                #expect(operation.responseString == "end")
            }
        }

        @Test(arguments: [Duration.zero, .milliseconds(50)])
        func deadlineCancelsTheRestAndCallsTheHandlerOnce(timeout: Duration) async throws {
            try await TestServer.answering(.stall) { server in
                let manager = manager()
                let (expired, ended) = (Observed(0), Observed(0))
                let operations = start(manager, server.url(), count: 3)
                for operation in operations { operation.setCompletionBlock(failure: { _, _ in ended.increment() }) }
                await server.waitForRequests(count: 3)
                let summary = await manager.drain(timeout: timeout) { expired.increment() }
                #expect(summary.hasExpired)
                #expect(summary.cancelled.count == 3)
                #expect(summary.finished.isEmpty)
                #expect(operations.allSatisfy { $0.code == .cancelled })
                #expect(expired.value == 1)
                #expect(ended.value == 3)
            }
        }

        @Test func concurrentDrainsBothEnd() async throws {
            let gate = Gate()
            try await TestServer.serving(script: waiting(for: gate)) { server in
                let manager = manager()
                let operations = start(manager, server.url("/late"), count: 3)
                await server.waitForRequests(count: 3)
                async let first = manager.drain(timeout: .seconds(100))
                async let second = manager.drain(timeout: .seconds(100))
                await hasBegun(manager)
                gate.open()
                let summaries = await (first, second)
                #expect(!summaries.0.hasExpired && !summaries.1.hasExpired)
                #expect(operations.allSatisfy { $0.error == nil && $0.isFinished })
                #expect(await manager.drain(timeout: .seconds(100)).finished.isEmpty)
            }
        }

        @Test func pausedOperationsAreNotAwaited() async throws {
            try await TestServer.answering(.stall) { server in
                let manager = manager()
                let operations = start(manager, server.url(), count: 2)
                await server.waitForRequests(count: 2)
                for operation in operations { operation.pause() }
                await NetworkThread.shared.catchesUp()
                let summary = await manager.drain(timeout: .seconds(100))
                #expect(Set(summary.paused) == Set(operations as [Operation]))
                #expect(summary.finished.isEmpty && !summary.hasExpired)
                #expect(operations.allSatisfy { $0.isPaused })
                for operation in operations { operation.cancel() }
                for operation in operations { try await operation.waitUntilEnded() }
            }
        }

        @Test func foreignOperationsAreAwaited() async throws {
            let manager = manager()
            let (begun, gate) = (Gate(), Gate())
            let block = BlockOperation {
                begun.open()
                gate.waitBlocking()
            }
            manager.operationQueue.addOperation(block)
            await begun.wait()
            let expired = Gate()
            async let drained = manager.drain(timeout: .milliseconds(1)) { expired.open() }
            await expired.wait()  // so the drain saw the block while it ran
            gate.open()
            let summary = await drained
            #expect(summary.finished + summary.cancelled == [block])  // it may end before it is cancelled
            #expect(block.isFinished)
        }

        @Test func cancellingTheTaskExpiresTheDrain() async throws {
            try await TestServer.answering(.stall) { server in
                let manager = manager()
                let operation = manager.started("GET", server.url().absoluteString)
                await server.waitForRequests(count: 1)
                let task = Task { await manager.drain(timeout: .seconds(1000)) }
                task.cancel()
                #expect(await task.value.cancelled == [operation])
            }
        }

        @Test func everyOperationEndsOnceAtAnyDeadline() async throws {
            try await TestServer.answering(.response(body: "now")) { server in
                for round in 0..<20 {
                    let manager = manager(limit: 4)
                    let ends = Mutex<[ObjectIdentifier: Int]>([:])
                    let counted = Observed([ObjectIdentifier]())
                    let operations = start(manager, server.url("/now"), count: 30)
                    for operation in operations {
                        operation.setCompletionBlock { one, _ in
                            counted.append(ObjectIdentifier(one))
                        } failure: { one, _ in
                            counted.append(ObjectIdentifier(one))
                        }
                    }
                    let summary = await manager.drain(timeout: .microseconds(round * 200))
                    manager.operationQueue.cancelAllOperations()
                    for operation in operations { await operation.ends() }
                    ends.withLock { ends in for id in counted.value { ends[id, default: 0] += 1 } }
                    #expect(ends.withLock { $0.count == 30 && $0.values.allSatisfy { $0 == 1 } })
                    #expect(summary.cancelled.allSatisfy { ($0 as? RequestOperation)?.code == .cancelled })
                }
            }
        }
    }
}
