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

/// Where the objects that handlers capture are released: their `deinit` is code of the program.
@Suite(.timeLimit(.minutes(1))) struct EndHandlerTests {
    private final class Token: Sendable {
        private let released: Observed<[Bool]>

        init(_ released: Observed<[Bool]>) { self.released = released }

        deinit { released.append(NetworkThread.isCurrent) }
    }

    @Test func handlerCapturesAreNeverReleasedOnNetworkThread() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200), .body("answer")] }
        let released = Observed([Bool]())
        let count = 500
        for number in 0..<count {
            let operation = HTTPRequestOperation(
                plan: RequestPlan(network.request("/\(number)"), options: ResolvedOptions(TransferOptions())),
                serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
            let (token, other) = (Token(released), Token(released))
            operation.completionBlock = { withExtendedLifetime(token) {} }
            operation.setCompletionBlock { _, _ in withExtendedLifetime(other) {} }
            operation.start()
        }
        await released.becomes { $0.count == 2 * count }
        #expect(released.value.filter { $0 }.isEmpty)
    }

    @Test func startHandlerCapturesAreReleasedOnStartingThread() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200), .body("answer")] }
        let released = Observed([Bool]())
        for number in 0..<200 {
            let operation = network.operation("/\(number)")
            let token = Token(released)
            operation.setStartHandler { _ in withExtendedLifetime(token) {} }
            operation.start()
            #expect(operation.state.details.startHandler == nil)
            await operation.ends()
        }
        #expect(released.value == Array(repeating: false, count: 200))
    }

    /// Only the queue retains the operations, and many operations end in one round.
    @Test func serializerCapturesAreNeverReleasedOnNetworkThread() async {
        struct HoldingSerializer: ResponseSerializer {
            let validation = ResponseValidation()
            let token: Token
            func value(for response: ResponseHead, body: Data) -> Int { body.count }
        }
        let services = NetworkServices(limit: 64, limitPerOrigin: 64, transport: InstantTransport())
        let released = Observed([Bool]())
        let queue = RequestOperationQueue()
        let (roundCount, count) = (50, 64)
        for round in 1...roundCount {
            queue.isSuspended = true
            for number in 0..<count {
                let serializer = ResolvedSerializer(HoldingSerializer(token: Token(released)))
                queue.addOperation(
                    HTTPRequestOperation(
                        plan: RequestPlan(
                            URLRequest(url: ScriptedNetwork.url("/\(number)")),
                            options: ResolvedOptions(TransferOptions())),
                        serializer: serializer, services: services))
            }
            queue.isSuspended = false
            await released.becomes { $0.count == round * count }
        }
        #expect(released.value.filter { $0 }.isEmpty)
    }

    /// All operations end in one round of the event loop, on the network thread: they start in one round, and the
    /// transport answers in the next.
    @Test(arguments: [2, 7, 8, 50]) func simultaneousEndsAreReportedInOrder(count: Int) async {
        let services = NetworkServices(limit: 64, limitPerOrigin: 64, transport: InstantTransport())
        let manager = RequestOperationManager(baseURL: nil, services: services)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "org.bluebonnet.tests.end-handlers")
        manager.operationQueue.isSuspended = true
        let order = Observed([Int]())
        for number in 0..<count {
            let operation = manager.operation(with: URLRequest(url: ScriptedNetwork.url("/\(number)")))
            operation.addCompletionHandler { _ in order.append(number) }
            manager.operationQueue.addOperation(operation)
        }
        manager.operationQueue.isSuspended = false
        await order.becomes { $0.count == count }
        #expect(order.value == Array(0..<count))
    }

    @Test func blockAndUserInfoObjectsAreReleasedOffNetworkThread() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200), .body("answer")] }
        let released = Observed([Bool]())
        let queue = RequestOperationQueue()
        let count = 200
        for number in 0..<count {
            let operation = HTTPRequestOperation(
                plan: RequestPlan(network.request("/\(number)"), options: ResolvedOptions(TransferOptions())),
                serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
            let token = Token(released)
            operation.onRedirect = { _, request, _ in withExtendedLifetime(token) { request } }
            operation.userInfo = ["token": Token(released)]
            queue.addOperation(operation)  // keeps the only reference
        }
        await released.becomes { $0.count == 2 * count }
        #expect(released.value.filter { $0 }.isEmpty)
    }

    /// A block that is set on a finished operation does not run, as in Foundation, whether or not the previous block
    /// has run.
    @Test func pendingCompletionBlockCannotBeReplacedOrRemoved() async throws {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200)] }
        let ran = Observed([String]())
        let queue = DispatchQueue(label: "handlers")
        queue.suspend()
        let operation = HTTPRequestOperation(
            plan: RequestPlan(network.request("/a"), options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        operation.completionQueue = queue
        operation.completionBlock = { ran.append("first") }
        operation.setCompletionBlock { _, _ in ran.append("handler") }
        operation.start()
        try await operation.waitUntilEnded()
        operation.completionBlock = { ran.append("second") }
        operation.completionBlock = nil
        queue.resume()
        await ran.becomes { $0.count == 2 }
        queue.sync {}
        #expect(ran.value == ["first", "handler"])
        #expect(operation.completionBlock == nil)
    }
}
