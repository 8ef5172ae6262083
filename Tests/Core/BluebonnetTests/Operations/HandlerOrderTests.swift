// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import BluebonnetTesting
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import Bluebonnet

extension HeldQueueSuites {
    /// Checks that handlers run in the order of their operations, although a slow serializer follows the first
    /// operation. Both are in the same part of a round, unless operations of other tests divide the round.
    @Suite(.timeLimit(.minutes(1))) struct HandlerOrderTests {
        private let services = NetworkServices(limit: 64, limitPerOrigin: 64, transport: InstantTransport())
        private let told = Observed([String]())
        /// Counts the calls of the slow serializer.
        private let isBusy = Observed(0)
        private let mayEnd = Gate()

        private func manager() -> RequestOperationManager {
            let manager = RequestOperationManager(baseURL: nil, services: services)
            manager.operationQueue.isSuspended = true
            return manager
        }

        private func operation(
            _ name: String, with serializer: some ResponseSerializer, of manager: RequestOperationManager
        ) -> HTTPRequestOperation {
            let request = URLRequest(url: ScriptedNetwork.url("/\(name)"))
            let operation = manager.operation(with: request, responseSerializer: serializer)
            operation.addCompletionHandler { [told] _ in told.append(name) }
            return operation
        }

        /// An operation whose body is serialized on a queue, like the body of the slow operation.
        private func serialized(_ name: String, of manager: RequestOperationManager) -> HTTPRequestOperation {
            operation(name, with: LengthSerializer {}, of: manager)
        }

        private func slow(of manager: RequestOperationManager) -> HTTPRequestOperation {
            let serializer = LengthSerializer { [isBusy, mayEnd] in
                isBusy.increment()
                mayEnd.waitBlocking()
            }
            return operation("slow", with: serializer, of: manager)
        }

        /// An operation that waits for nothing after its transfer.
        private func quick(_ name: String, of manager: RequestOperationManager) -> HTTPRequestOperation {
            operation(name, with: HTTPResponseSerializer(), of: manager)
        }

        /// Starts the managers' operations in one round, in which they also end.
        private func start(_ managers: RequestOperationManager...) {
            NetworkThread.shared.submit {
                for manager in managers { manager.operationQueue.isSuspended = false }
            }
        }

        @Test func dependencyHandlersRunFirst() async {
            let manager = manager()
            let first = serialized("first", of: manager)
            let dependent = quick("dependent", of: manager)
            dependent.addDependency(first)
            manager.operationQueue.addOperations([first, slow(of: manager), dependent])
            start(manager)
            await told.becomes { $0.contains("dependent") }
            mayEnd.open()
            await told.becomes { $0.count == 3 }
            #expect(told.value == ["first", "dependent", "slow"])
        }

        /// The dependency that ends last makes the dependent ready.
        @Test func handlersOfAllDependenciesRunFirst() async {
            let manager = manager()
            let queue = manager.operationQueue
            let (first, other) = (serialized("first", of: manager), quick("other", of: manager))
            let dependent = quick("dependent", of: manager)
            for dependency in [first, other] { dependent.addDependency(dependency) }
            queue.addOperations([first, slow(of: manager), dependent])
            start(manager)
            await isBusy.becomes(1)
            await becomes(true) { first.isFinished }  // does not register as a waiter
            queue.addOperation(other)
            await told.becomes { $0.contains("dependent") }
            mayEnd.open()
            await told.becomes { $0.count == 4 }
            #expect(Set(told.value.prefix(2)) == ["first", "other"])
            #expect(told.value.suffix(2) == ["dependent", "slow"])
        }

        @Test func serialQueueRunsPreviousHandlersFirst() async {
            let (manager, other) = (manager(), manager())
            manager.operationQueue.maxConcurrentOperationCount = 1
            manager.operationQueue.addOperations([serialized("first", of: manager), quick("second", of: manager)])
            other.operationQueue.addOperation(slow(of: other))
            start(manager, other)
            await told.becomes { $0.contains("second") }
            mayEnd.open()
            await told.becomes { $0.count == 3 }
            #expect(told.value == ["first", "second", "slow"])
        }

        /// The task that waits for the first operation adds the dependency after the operation's end.
        @Test func handlersOfAwaitedOperationRunFirst() async {
            let manager = manager()
            let first = serialized("first", of: manager)
            manager.operationQueue.addOperations([first, slow(of: manager)])
            async let end: Void = first.waitAsOwner()
            await Task.yield()
            start(manager)
            await end
            await told.becomes { $0.contains("first") }
            let dependent = quick("dependent", of: manager)
            dependent.addDependency(first)
            manager.operationQueue.addOperation(dependent)
            await told.becomes { $0.contains("dependent") }
            mayEnd.open()
            await told.becomes { $0.count == 3 }
            #expect(told.value == ["first", "dependent", "slow"])
        }
    }
}

// MARK: - Observers of an end may start dependents

extension HeldQueueSuites.HandlerOrderTests {
    /// An operation whose serializer lets another thread read the dependency graph, as in a program with many
    /// dependencies. The graph is in use for a moment, or until `isOver` is signalled.
    private func delayed(_ isOver: DispatchSemaphore, of manager: RequestOperationManager) -> HTTPRequestOperation {
        let serializer = LengthSerializer {
            let isLocked = Gate()
            Thread.detachNewThread {
                DependencyGraph.read { _ in
                    isLocked.open()
                    _ = isOver.wait(timeout: .now() + 0.2)
                }
            }
            isLocked.waitBlocking()
        }
        return operation("delayed", with: serializer, of: manager)
    }

    @Test func handlerCanStartDependent() async {
        let (manager, isOver, isReady) = (manager(), DispatchSemaphore(value: 0), Observed([Bool]()))
        let delayed = delayed(isOver, of: manager)
        let dependent = quick("dependent", of: manager)
        dependent.addDependency(delayed)
        delayed.addCompletionHandler { _ in
            isReady.append(dependent.isReady)
            dependent.start()
            isOver.signal()
        }
        manager.operationQueue.addOperation(delayed)
        start(manager)
        await isReady.becomes { $0.count == 1 }
        #expect(isReady.value == [true])
        if isReady.value == [true] { await dependent.ends() }
    }

    @Test func threadWaitingForQueueCanStartDependent() async {
        let (manager, isOver, isReady) = (manager(), DispatchSemaphore(value: 0), Observed([Bool]()))
        let dependent = quick("dependent", of: manager)
        let delayed = delayed(isOver, of: manager)
        dependent.addDependency(delayed)
        manager.operationQueue.addOperation(delayed)
        Thread.detachNewThread {
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            isReady.append(dependent.isReady)
            isOver.signal()
        }
        start(manager)
        await isReady.becomes { $0.count == 1 }
        #expect(isReady.value == [true])
    }
}

private struct LengthSerializer: ResponseSerializer {
    let validation = ResponseValidation()
    private let called: @Sendable () -> Void

    init(_ called: @escaping @Sendable () -> Void) { self.called = called }

    func value(for response: ResponseHead, body: Data) -> Int {
        called()
        return body.count
    }
}
