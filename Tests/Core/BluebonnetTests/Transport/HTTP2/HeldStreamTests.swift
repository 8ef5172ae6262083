// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// One response over HTTP/2 is paused or back-pressured. The other requests of its origin continue, and the
    /// network thread sleeps.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct HeldStreamTests {
        /// More than a server may send before the client reports that it has read a part.
        static let byteCount = 40_000_000

        enum Holder: String, CaseIterable, Codable {
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

        @Test(arguments: Holder.allCases) func heldResponseDoesNotAffectOthers(holder: Holder) async throws {
            try await HTTP2Fixture.with(script: Self.script) { fixture in
                try fixture.folder.write("body", Data(count: Self.byteCount))
                let manager = fixture.manager(concurrency: 64)
                let held = HeldResponse(holder, fixture, manager)
                await held.isHeld()
                await Self.runOthers(fixture, manager)
                try await Self.checkThatTheThreadSleeps()
                await Self.runOthers(fixture, manager)
                #expect(!held.operation.isFinished)
                await held.letGo()
                await held.operation.ends()
                #expect(held.operation.error == nil)
                let count = held.takenByteCount
                #expect(count == Self.byteCount)
            }
        }

        /// Unread bytes stay on the server. libcurl would keep up to 32 MiB of each response that shares its
        /// connection. The test runs in its own process, so that memory can be measured.
        @Test(arguments: [Holder.chunks, .stream]) func heldResponseIsNotKeptInMemory(holder: Holder) async {
            await #expect(processExitsWith: .success) { [holder = holder as Holder] in
                try await Self.holdResponses(holder)
            }
        }

        private static func holdResponses(_ holder: Holder) async throws {
            try await HTTP2Fixture.with(script: script) { fixture in
                try fixture.folder.write("body", Data(count: byteCount))
                let manager = fixture.manager(concurrency: 64)
                for _ in 0..<3 { await runOthers(fixture, manager) }
                let before = ProcessUse.residentKibibytes
                let held = (0..<2).map { _ in HeldResponse(holder, fixture, manager) }
                for response in held { await response.isHeld() }
                for _ in 0..<3 { await runOthers(fixture, manager) }
                let growth = ProcessUse.residentKibibytes - before
                #expect(growth < 24 << 10, "\(growth) KiB")
                for response in held {
                    #expect(!response.operation.isFinished)
                    response.giveUp()
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
                let held = HeldResponse(.chunks, fixture, manager)
                await held.isHeld()
                let others = (0..<300).map { manager.operation(with: URLRequest(url: fixture.url("/\($0)"))) }
                manager.operationQueue.addOperations(others)
                let count = await held.takeSlowly(besides: others)
                #expect(count < Self.byteCount)
                #expect(others.allSatisfy { $0.error == nil })
                await held.operation.ends()
                #expect(held.operation.error == nil)
                let whole = held.takenByteCount
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
private final class HeldResponse: Sendable {
    let operation: HTTPRequestOperation
    private let holder: NetworkTests.HeldStreamTests.Holder
    private let isReached = Gate()
    private let mayGoOn = Gate()
    private let chunks: BodyChunks?
    fileprivate let taken = Observed(0)

    init(
        _ holder: NetworkTests.HeldStreamTests.Holder, _ fixture: HTTP2Fixture, _ manager: RequestOperationManager
    ) {
        self.holder = holder
        let isPost = holder == .pause
        let url = isPost ? fixture.url("/held") : fixture.nginx.tlsURL("/body")
        operation = manager.operation(with: URLRequest(isPost ? "POST" : "GET", url, body: isPost ? "x" : nil))
        chunks = holder == .chunks ? operation.chunks : nil
        if holder == .stream { operation.outputStream = HoldingStream(mayGoOn, taken) }
        if holder == .responseBlock {
            operation.onResponse = { [isReached, mayGoOn] _, _ in
                isReached.open()
                await mayGoOn.wait()
                return .allow
            }
        }
        operation.onDownloadProgress = { [isReached] _, total, _ in if total > 0 { isReached.open() } }
        manager.enqueue(operation)
    }

    var takenByteCount: Int {
        switch holder {
        case .chunks, .stream: taken.value
        case .responseBlock, .pause: operation.responseData?.count ?? 0
        }
    }

    func isHeld() async {
        await isReached.wait()
        if holder == .pause { operation.pause() }
        await NetworkThread.shared.catchesUp()
    }

    /// Releases a stream that blocks its queue.
    func giveUp() { mayGoOn.open() }

    func letGo() async {
        mayGoOn.open()
        if holder == .pause { operation.resume() }
        if let chunks { await take(chunks) }
    }
}

extension HeldResponse {
    fileprivate func take(_ chunks: BodyChunks) async {
        var iterator = chunks.makeAsyncIterator()
        while let chunk = try? await iterator.next() { taken.update { $0 += chunk.count } }
    }

    /// Reads a chunk each time one of the operations has ended, and then all remaining chunks.
    ///
    /// - Returns: the number of bytes read when all operations had ended.
    fileprivate func takeSlowly(besides operations: [HTTPRequestOperation]) async -> Int {
        guard let chunks else { return 0 }
        var iterator = chunks.makeAsyncIterator()
        for operation in operations {
            await operation.ends()
            guard let chunk = try? await iterator.next() else { break }
            taken.update { $0 += chunk.count }
        }
        let count = taken.value
        while let chunk = try? await iterator.next() { taken.update { $0 += chunk.count } }
        return count
    }
}

/// An output stream that accepts nothing until its gate opens.
private final class HoldingStream: OutputStream {
    private let gate: Gate
    private let taken: Observed<Int>

    init(_ gate: Gate, _ taken: Observed<Int>) {
        (self.gate, self.taken) = (gate, taken)
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        (gate, taken) = (Gate(), Observed(0))
        super.init(toMemory: ())
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        let isOpen = DispatchSemaphore(value: 0)
        gate.whenOpen { isOpen.signal() }
        isOpen.wait()
        taken.update { $0 += maxLength }
        return maxLength
    }
}
