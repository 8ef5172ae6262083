// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TestServer
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1)), .serialized) struct DeferredFreeTests {
    private struct Watched {
        weak var head: ResponseHead?
    }

    private static func transfer(
        valueByteCount: Int = 10, body: TransferResult.Content = .none,
        _ change: (inout TransferResult) -> Void = { _ in }
    ) -> Box<TransferResult> {
        let value = String(repeating: "v", count: valueByteCount)
        let head = ResponseHead(url: ScriptedNetwork.url("/"), status: 200, fields: [("name", value)])
        var result = TransferResult(head: head, content: body)
        change(&result)
        return Box(result)
    }

    private static func takeAll(_ memory: DeferredFree) -> [DeferredFree.Item] {
        var taken: [DeferredFree.Item] = []
        memory.takeAll(into: &taken)
        return taken
    }

    @Test func smallResponsesComeBackOnce() throws {
        let memory = DeferredFree()
        let transfers = [
            Self.transfer(), Self.transfer(body: .memory(Data([1, 2, 3]))), Self.transfer(body: .stream),
        ]
        for transfer in transfers { memory.add(transfer) }
        let taken = Self.takeAll(memory)
        #expect(taken.count == transfers.count)
        for (item, transfer) in zip(taken, transfers) { #expect(item.head === transfer.value.head) }
        #expect(taken.map(\.body) == [Data(), Data([1, 2, 3]), Data()])
        #expect(Self.takeAll(memory).isEmpty)
    }

    @Test func largeResponsesDoNotWait() {
        let memory = DeferredFree()
        let limit = DeferredFree.byteCountLimit
        memory.add(Self.transfer(valueByteCount: limit))
        memory.add(Self.transfer(body: .memory(Data(count: limit))))
        memory.add(Box(TransferResult()))
        #expect(Self.takeAll(memory).isEmpty)
        memory.add(Self.transfer(valueByteCount: limit - 4))
        #expect(Self.takeAll(memory).count == 1)
    }

    /// A cache's bytes are its owner's; a body that was cut short may hold room for all that was announced.
    @Test func responsesOfACacheOrAFailureDoNotWait() {
        let memory = DeferredFree()
        memory.add(Self.transfer { $0.summary.isFromCache = true })
        memory.add(Self.transfer { $0.error = NetworkingError(.connectionLost, "cut short") })
        #expect(Self.takeAll(memory).isEmpty)
        memory.add(Self.transfer { $0.summary.isReused = true })
        #expect(Self.takeAll(memory).count == 1)
    }

    @Test func responsesBeyondTheRoomDoNotWait() {
        let memory = DeferredFree()
        for _ in 0..<2 {
            for _ in 0..<DeferredFree.countLimit + 3 { memory.add(Self.transfer()) }
            #expect(Self.takeAll(memory).count == DeferredFree.countLimit)
        }
    }

    @Test(arguments: [1, 20], [true, false]) func theNextRoundsLetItGo(count: Int, isSerialized: Bool) async {
        let manager = Self.manager()
        manager.responseSerializer = isSerialized ? JSONResponseSerializer() : HTTPResponseSerializer()
        let watched = await Self.heads(of: count, manager)
        for _ in 0..<100 where watched.contains(where: { $0.head != nil }) { _ = await Self.heads(of: 1, manager) }
        #expect(watched.allSatisfy { $0.head == nil })
    }

    /// What others let go of stays while the network thread does something else; unless there is no room, because much
    /// else was let go of.
    @Test func responsesReleasedElsewhereWaitForTheNetworkThread() async {
        let manager = Self.manager()
        var hasWaited = false
        for _ in 0..<100 where !hasWaited {
            var operation: RequestOperation? = await Self.finishedOperation(manager)
            weak let released = operation
            let watched = Watched(head: operation?.shared.withLock { $0.result?.head })
            let (isHeld, goesOn) = (Gate(), Gate())
            NetworkThread.shared.submit {
                isHeld.open()
                goesOn.waitBlocking()
            }
            await isHeld.wait()
            operation = nil
            hasWaited = released == nil && watched.head != nil
            goesOn.open()
        }
        #expect(hasWaited)
    }

    private static func manager() -> RequestOperationManager {
        let services = NetworkServices(limit: 64, limitPerOrigin: 64, transport: InstantTransport())
        return RequestOperationManager(baseURL: nil, options: TransferOptions(), services: services)
    }

    private static func finishedOperation(_ manager: RequestOperationManager) async -> RequestOperation {
        let operation = manager.operation(with: URLRequest(url: ScriptedNetwork.url("/")))
        manager.operationQueue.addOperation(operation)
        await operation.ends()
        return operation
    }

    /// Runs operations, lets them go, and gives the heads of their responses.
    private static func heads(of count: Int, _ manager: RequestOperationManager) async -> [Watched] {
        let operations = (0..<count).map { manager.operation(with: URLRequest(url: ScriptedNetwork.url("/\($0)"))) }
        manager.operationQueue.addOperations(operations, waitUntilFinished: false)
        for operation in operations { await operation.ends() }
        let heads = operations.map { operation in Watched(head: operation.shared.withLock { $0.result?.head }) }
        #expect(heads.allSatisfy { $0.head != nil })
        return heads
    }
}
