// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The events about what was sent and received, with real connections.
    @Suite struct SentEventTests {
        private let log = EventLog()

        private func manager(_ change: (inout TransferOptions) -> Void = { _ in }) -> RequestOperationManager {
            var configuration = RequestOperationManager.Configuration()
            change(&configuration.transferOptions)
            configuration.responseSerializer = HTTPResponseSerializer()
            configuration.eventMonitors = [log]
            return RequestOperationManager(configuration: configuration)
        }

        private static func sentByteCounts(_ events: [RequestEvent]) -> [Int64] {
            events.compactMap { if case .requestBodySent(let byteCount) = $0.kind { byteCount } else { nil } }
        }

        private static func reply(after gate: Gate) -> Reply {
            Reply([.wait(until: gate)] + Reply.response(body: "x").steps)
        }

        enum Body: CaseIterable {
            /// libcurl has a copy, which it sends together with the head.
            case small
            /// libcurl reads it.
            case large
            /// libcurl reads it and does not know its length.
            case unknownLength

            var byteCount: Int { self == .small ? 100 : 300_000 }
        }

        private func operation(_ body: Body, _ manager: RequestOperationManager, _ url: URL) -> HTTPRequestOperation {
            var request = URLRequest("POST", url)
            let data = Data.patterned(byteCount: body.byteCount)
            if body == .unknownLength {
                request.httpBodyStream = InputStream(data: data)
            } else {
                request.httpBody = data
            }
            return manager.operation(with: request)
        }

        /// The events come when the request has been sent, not with the response.
        @Test(arguments: [false, true], Body.allCases)
        func sentEventsDoNotWaitForTheResponse(isHTTP2: Bool, body: Body) async throws {
            let gate = Gate()
            var options = TestServer.Options()
            options.speaksHTTP2 = isHTTP2
            try await TestServer.answering(Self.reply(after: gate), options) { server in
                let manager = manager { if isHTTP2 { $0.httpVersion = .http2PriorKnowledge } }
                let operation = manager.enqueue(operation(body, manager, server.url()))
                await log.events.becomes { Self.sentByteCounts($0).count == 1 }
                let names = log.events.value.filter { $0.operation != nil }.map(\.kind.name)
                #expect(names.firstIndex(of: "requestHeadSent") ?? 99 < names.firstIndex(of: "requestBodySent") ?? 0)
                #expect(!names.contains("firstByte"))
                gate.open()
                await operation.ends()
                let sent = Self.sentByteCounts(await log.all)
                #expect(sent == [Int64(body.byteCount)])
            }
        }

        @Test func headWithoutBodyIsSentBeforeTheResponse() async throws {
            let gate = Gate()
            try await TestServer.answering(Self.reply(after: gate)) { server in
                let manager = manager()
                let operation = manager.enqueue(manager.operation("GET", server.url().absoluteString))
                await log.events.becomes { events in events.contains { $0.kind.name == "requestHeadSent" } }
                #expect(!log.events.value.contains { $0.kind.name == "firstByte" })
                gate.open()
                await operation.ends()
                #expect(Self.sentByteCounts(await log.all).isEmpty)
            }
        }

        /// A server that answers without reading: the body was not sent, so no event says so.
        @Test func unsentBodyIsNotReported() async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.response(status: 413, body: "too large").then(.close), options) { server in
                let manager = manager()
                var request = URLRequest("POST", server.url())
                request.httpBody = Data(count: 64 << 20)
                let operation = manager.enqueue(manager.operation(with: request))
                await operation.ends()
                let names = await log.names
                #expect(names.contains("requestHeadSent") && !names.contains("requestBodySent"))
            }
        }

        @Test func decodedLengthIsReported() async throws {
            let coded = Data(CodedBody.gzip)
            let reply = Reply.response(headers: ["Content-Encoding": "gzip"], body: coded)
            try await TestServer.answering(reply) { server in
                let manager = manager()
                try await manager.run(manager.operation("GET", server.url().absoluteString))
                let ends = await log.all.compactMap { event -> [Int64?]? in
                    switch event.kind {
                    case .responseBodyReceived(let count, let decoded): [count, decoded]
                    case .hopEnded(let end): [end.receivedByteCount, end.decodedByteCount]
                    default: nil
                    }
                }
                let expected = [Int64(coded.count), Int64(CodedBody.text.utf8.count)]
                #expect(ends == [expected, expected])
            }
        }
    }
}
