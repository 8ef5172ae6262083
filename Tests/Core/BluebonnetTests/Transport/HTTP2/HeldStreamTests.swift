// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// One response over HTTP/2 is paused or back-pressured. The other requests of its origin continue, and the
    /// network thread sleeps.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct HeldStreamTests {
        /// More than a server may send before the client reports that it has read a part.
        static let byteCount = 40_000_000

        enum Blocker: String, CaseIterable, Codable {
            /// No consumer reads the chunks.
            case chunks
            /// The program's output stream accepts no bytes.
            case stream
            /// The program's response block does not decide.
            case responseBlock
            /// The user has paused the request, whose transfer is paused in place.
            case pause
        }

        /// The number of turns of the network thread so far.
        private static func roundNumber() async -> UInt64 {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit { waiter.resume(returning: NetworkThread.shared.eventLoop.roundNumber) }
            }
        }

        private static let script: TestServer.Script = { request in
            request.method == "POST" ? .response(body: Data(count: byteCount)) : .response(body: request.target)
        }

        @Test(arguments: Blocker.allCases) func blockedResponseDoesNotAffectOthers(blocker: Blocker) async throws {
            try await HTTP2Fixture.with(script: Self.script) { fixture in
                try fixture.folder.write("body", Data(count: Self.byteCount))
                let manager = fixture.manager(concurrency: 64)
                let response = BlockedResponse(blocker, fixture, manager)
                await response.waitUntilBlocked()
                await Self.runOthers(fixture, manager)
                try await Self.checkThatTheThreadSleeps()
                await Self.runOthers(fixture, manager)
                #expect(!response.operation.isFinished)
                await response.unblock()
                await response.operation.ends()
                #expect(response.operation.error == nil)
                let count = response.consumedByteCount
                #expect(count == Self.byteCount)
            }
        }

        /// Unread bytes stay on the server. libcurl would keep up to 32 MiB of each response that shares its
        /// connection. The test runs in its own process, so that memory can be measured.
        @Test(arguments: [Blocker.chunks, .stream]) func blockedResponseIsNotKeptInMemory(blocker: Blocker) async {
            await #expect(processExitsWith: .success) { [blocker = blocker as Blocker] in
                try await Self.blockResponses(blocker)
            }
        }

        private static func blockResponses(_ blocker: Blocker) async throws {
            try await HTTP2Fixture.with(script: script) { fixture in
                try fixture.folder.write("body", Data(count: byteCount))
                let manager = fixture.manager(concurrency: 64)
                for _ in 0..<3 { await runOthers(fixture, manager) }
                let before = ProcessUse.residentKibibytes
                let responses = (0..<2).map { _ in BlockedResponse(blocker, fixture, manager) }
                for response in responses { await response.waitUntilBlocked() }
                for _ in 0..<3 { await runOthers(fixture, manager) }
                let growth = ProcessUse.residentKibibytes - before
                #expect(growth < 24 << 10, "\(growth) KiB")
                for response in responses {
                    #expect(!response.operation.isFinished)
                    response.releaseStream()
                    response.operation.cancel()
                    await response.operation.ends()
                }
            }
        }

        /// The consumer reads a little now and then. Each time, libcurl continues the response and is blocked again.
        @Test func slowConsumerDoesNotAffectOthers() async throws {
            try await HTTP2Fixture.with(script: Self.script) { fixture in
                try fixture.folder.write("body", Data(count: Self.byteCount))
                let manager = fixture.manager(concurrency: 64)
                let response = BlockedResponse(.chunks, fixture, manager)
                await response.waitUntilBlocked()
                let others = (0..<300).map { manager.operation(with: URLRequest(url: fixture.url("/\($0)"))) }
                manager.operationQueue.addOperations(others)
                let count = await response.consumeSlowly(alongside: others)
                #expect(count < Self.byteCount)
                #expect(others.allSatisfy { $0.error == nil })
                await response.operation.ends()
                #expect(response.operation.error == nil)
                let whole = response.consumedByteCount
                #expect(whole == Self.byteCount)
            }
        }

        private static func runOthers(_ fixture: HTTP2Fixture, _ manager: RequestOperationManager) async {
            let others = (0..<50).map { manager.operation(with: URLRequest(url: fixture.url("/\($0)"))) }
            manager.operationQueue.addOperations(others)
            for operation in others { await operation.ends() }
            #expect(others.allSatisfy { $0.error == nil })
        }

        /// A request takes about ten rounds. A thread whose socket was always readable would take thousands.
        private static func checkThatTheThreadSleeps() async throws {
            let tick = Reply([.delay(.milliseconds(300))] + Reply.response(body: "tick").steps)
            try await TestServer.answering(tick) { server in
                let before = await roundNumber()
                let operation = await get(server.url())
                #expect(operation.responseString == "tick")
                let count = await roundNumber() - before
                #expect(count < 500)
            }
        }
    }
}

/// An operation whose response is paused or back-pressured.
private final class BlockedResponse: Sendable {
    let operation: HTTPRequestOperation
    private let blocker: NetworkTests.HeldStreamTests.Blocker
    private let isReached = Gate()
    private let mayContinue = Gate()
    private let chunks: BodyChunks?
    fileprivate let consumed = Observed(0)

    init(
        _ blocker: NetworkTests.HeldStreamTests.Blocker, _ fixture: HTTP2Fixture, _ manager: RequestOperationManager
    ) {
        self.blocker = blocker
        let isPost = blocker == .pause
        let url = isPost ? fixture.url("/held") : fixture.nginx.tlsURL("/body")
        operation = manager.operation(with: URLRequest(isPost ? "POST" : "GET", url, body: isPost ? "x" : nil))
        chunks = blocker == .chunks ? operation.chunks : nil
        if blocker == .stream { operation.outputStream = BlockingStream(mayContinue, consumed) }
        if blocker == .responseBlock {
            operation.onResponse = { [isReached, mayContinue] _, _ in
                isReached.open()
                await mayContinue.wait()
                return .allow
            }
        }
        operation.onDownloadProgress = { [isReached] _, total, _ in if total > 0 { isReached.open() } }
        manager.enqueue(operation)
    }

    var consumedByteCount: Int {
        switch blocker {
        case .chunks, .stream: consumed.value
        case .responseBlock, .pause: operation.responseData?.count ?? 0
        }
    }

    func waitUntilBlocked() async {
        await isReached.wait()
        if blocker == .pause { operation.pause() }
        await NetworkThread.shared.catchesUp()
    }

    /// Releases a stream that blocks its queue.
    func releaseStream() { mayContinue.open() }

    func unblock() async {
        mayContinue.open()
        if blocker == .pause { operation.resume() }
        if let chunks { await consume(chunks) }
    }
}

extension BlockedResponse {
    fileprivate func consume(_ chunks: BodyChunks) async {
        var iterator = chunks.makeAsyncIterator()
        while let chunk = try? await iterator.next() { consumed.update { $0 += chunk.count } }
    }

    /// Reads a chunk each time one of the operations has ended, and then all remaining chunks.
    ///
    /// - Returns: the number of bytes read when all operations had ended.
    fileprivate func consumeSlowly(alongside operations: [HTTPRequestOperation]) async -> Int {
        guard let chunks else { return 0 }
        var iterator = chunks.makeAsyncIterator()
        for operation in operations {
            await operation.ends()
            guard let chunk = try? await iterator.next() else { break }
            consumed.update { $0 += chunk.count }
        }
        let count = consumed.value
        while let chunk = try? await iterator.next() { consumed.update { $0 += chunk.count } }
        return count
    }
}

/// An output stream that accepts nothing until its gate opens.
private final class BlockingStream: OutputStream {
    private let gate: Gate
    private let consumed: Observed<Int>

    init(_ gate: Gate, _ consumed: Observed<Int>) {
        (self.gate, self.consumed) = (gate, consumed)
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        (gate, consumed) = (Gate(), Observed(0))
        super.init(toMemory: ())
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        let isOpen = DispatchSemaphore(value: 0)
        gate.whenOpen { isOpen.signal() }
        isOpen.wait()
        consumed.update { $0 += maxLength }
        return maxLength
    }
}
