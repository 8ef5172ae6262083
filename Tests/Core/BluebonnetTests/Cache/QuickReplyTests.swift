// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Calls that a cache in memory answers on the caller's thread, and calls that need an operation nevertheless.
@Suite(.timeLimit(.minutes(1))) struct QuickReplyTests {
    fileprivate struct Item: Codable, Equatable { var id: Int }

    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        manager.transferOptions.responseCache = InMemoryResponseCache()
        network.answer(
            "/item",
            with: [
                .head(200, ["Cache-Control": "max-age=600", "Content-Type": "application/json", "ETag": "\"1\""]),
                .body(#"{"id":7}"#),
            ])
    }

    private var sentCount: Int { network.log.requests.count }

    @Test func responseOfTheCacheIsComplete() async throws {
        let first = try await manager.call("item").response()
        let second = try await manager.call("item").response()
        #expect(second.value == first.value && second.statusCode == 200 && second.url == first.url && sentCount == 1)
        #expect(second.headers["ETag"] == "\"1\"" && second.headers["Age"] != nil)
        #expect(second.cacheStatus?.isHit == true && second.summary.isFromCache)
        #expect(second.summary.cacheAnswer == .hit && second.summary.transferCount == 0)
        let statistics = await manager.statistics
        #expect(statistics.succeededCount == 2 && statistics.cacheHitCount == 1 && statistics.transferCount == 1)
        #expect(statistics.receivedByteCount == 16)
    }

    /// In a process of its own: other tests need the network thread, and observe notifications.
    @Test func networkThreadIsNotNeeded() async {
        await #expect(processExitsWith: .success) {
            let test = QuickReplyTests()
            _ = try await test.manager.call("item").response()
            let (isBlocked, isOver) = (Gate(), Gate())
            NetworkThread.shared.submit {
                isBlocked.open()
                isOver.waitBlocking()
            }
            await isBlocked.wait()
            for _ in 0..<100 {
                #expect(try await test.manager.call("item").response().value.count == 8)
                #expect(try await test.manager.get("item", as: Item.self).value == Item(id: 7))
            }
            let timings = try await test.manager.call("item").response().timings
            #expect(timings.phases[.preparation] == timings.total && timings.total > .zero)
            // A cancelled task needs an operation, for the right error.
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await test.manager.call("item").response()
            }
            await becomes(true) { test.manager.operationQueue.operations.first?.isCancelled ?? false }
            isOver.open()
            let error = await #expect(throws: NetworkingError.self) { try await task.value }
            #expect(error?.code == .cancelled && error?.underlying is CancellationError)
        }
    }

    @Test func largeBodyIsRefusedLikeAnOperations() async throws {
        _ = try await manager.call("item").response()
        manager.transferOptions.maximumBodyByteCount = 4
        let error = await #expect(throws: NetworkingError.self) { try await manager.call("item").response() }
        #expect(error?.code == .bodyTooLarge && sentCount == 1)
    }

    @Test func eachKindOfValueIsMade() async throws {
        _ = try await manager.call("item").response()
        #expect(try await manager.get("item", as: Item.self).value == Item(id: 7))
        let (item, json, text): (Item, JSONValue, String) = (
            try await manager.get("item"), try await manager.get("item"), try await manager.get("item")
        )
        #expect(item == Item(id: 7) && json["id"]?.integer == 7 && text == #"{"id":7}"#)
        #expect(try await manager.call("HEAD", "item").response().value.isEmpty)
        let part = try await manager.call("item").header("Range", "bytes=1-4").response()
        #expect(part.statusCode == 206 && part.value == Data(#""id""#.utf8))
        #expect(sentCount == 1)
    }

    /// The answer of an operation, for the same requests.
    @Test(arguments: [
        ["Accept": "text/plain"], ["Range": "bytes=2-"], ["If-None-Match": "\"1\""], ["If-None-Match": "\"2\""],
    ])
    func answerIsTheOperations(_ headers: HeaderFields) async throws {
        _ = try await manager.call("item").response()
        manager.responseSerializer = HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: nil))
        let call = manager.call("item").headers(headers)
        let quick = try await call.response()
        let own = try await call.configure { _ in }.response()
        #expect(quick.statusCode == own.statusCode && quick.value == own.value && sentCount == 1)
        let names = { (response: Response<Data>) in response.headers.map(\.name) }  // the age may differ
        #expect(names(quick) == names(own) && quick.headers["ETag"] == own.headers["ETag"])
        #expect(quick.cacheStatus?.isHit == own.cacheStatus?.isHit && own.summary.isFromCache)
    }

    @Test func otherResponsesAreAskedFor() async throws {
        network.answer("/old", with: [.head(200, ["Cache-Control": "max-age=0", "ETag": "\"1\""]), .body("text")])
        network.answer("/moved", with: [.head(301, ["Cache-Control": "max-age=600", "Location": "/item"]), .body("")])
        for path in ["old", "moved"] {
            _ = try await manager.call(path).response()
            #expect(try await manager.call(path).response().statusCode == 200)
        }
        #expect(network.log.requests.map(\.url.path) == ["/old", "/old", "/moved", "/item"])
    }

    @Test func refusedValueHasTheOperationsError() async throws {
        _ = try await manager.call("item").response()
        let error = await #expect(throws: NetworkingError.self) { try await manager.get("item", as: [Int].self) }
        #expect(error?.code == .cannotParseResponse && error?.request?.url?.path == "/item" && sentCount == 1)
    }

    @Test func refusedContentTypeHasTheOperationsError() async throws {
        network.answer(
            "/text", with: [.head(200, ["Cache-Control": "max-age=600", "Content-Type": "text/plain"]), .body("{}")])
        _ = try await manager.call("text").response()
        let error = await #expect(throws: NetworkingError.self) {
            try await manager.get("text", as: [String: Int].self)
        }
        #expect(error?.code == .unacceptableContentType && sentCount == 1)
    }
}

// MARK: - Operations that the program would miss

extension QuickReplyTests {
    @Test func configureSeesEachOperation() async throws {
        let count = Observed(0)
        manager.configure = { _ in count.increment() }
        for _ in 0..<2 { _ = try await manager.call("item").response() }
        manager.configure = nil
        _ = try await manager.call("item").configure { _ in count.increment() }.response()
        #expect(count.value == 3 && sentCount == 1)
    }

    @Test func monitorSeesEachHit() async throws {
        let log = EventLog()
        manager.transferOptions.eventMonitors = [log]
        for _ in 0..<2 { _ = try await manager.call("item").response() }
        #expect(await log.names.suffix(3) == ["admitted", "cacheAnswered", "finished"] && sentCount == 1)
    }

    @Test func adapterSeesEachRequest() async throws {
        let count = Observed(0)
        _ = try await manager.call("item").response()
        manager.transferOptions.requestAdapters = [.block { _ in count.increment() }]
        _ = try await manager.call("item").response()
        #expect(count.value == 1)
    }

    @Test(arguments: ["suspension", "barrier", "limit"]) func queueDecidesWhenACallStarts(_ obstacle: String)
        async throws
    {
        _ = try await manager.call("item").response()
        let gate = Gate()
        let queue = manager.operationQueue
        switch obstacle {
        case "suspension": queue.isSuspended = true
        case "barrier": queue.addBarrierBlock { gate.waitBlocking() }
        default: queue.maxConcurrentOperationCount = 0
        }
        async let response = manager.call("item").response()
        await becomes(1) { queue.operationCount }
        gate.open()
        (queue.isSuspended, queue.maxConcurrentOperationCount) = (false, 4)
        #expect(try await response.summary.cacheAnswer == .hit)
    }

    @Test func drainedManagerAnswersNothing() async throws {
        _ = try await manager.call("item").response()
        _ = await manager.drain(timeout: .seconds(10))
        let error = await #expect(throws: NetworkingError.self) { try await manager.call("item").response() }
        #expect(error?.code == .notStarted)
    }
}
