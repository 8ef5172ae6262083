// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct LowSpeedMeterTests {
    /// The bytes up to each check. Checks are an eighth of a second apart; the limit is 800 bytes a second for a
    /// second.
    @Test(
        arguments: [
            ([], nil),
            ([0, 0, 0, 0, 0, 0, 0], nil),
            ([0, 0, 0, 0, 0, 0, 0, 0], 8),
            ([0, 0, 0, 0, 0, 0, 0, 799], 8),
            ([0, 0, 0, 0, 0, 0, 0, 800], nil),
            ([800, 800, 800, 800, 800, 800, 800, 800], nil),
            ([800, 800, 800, 800, 800, 800, 800, 800, 800], 9),
            ([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000], nil),
            ([100, 200, 300, 400, 500, 600, 700, 800, 900, 999], 10),
            ([5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5799], 9),
            // The request was sent again, and libcurl counts from 0 again.
            ([100, 50, 100, 150, 200, 250, 300, 699], 8),
            ([100, 50, 100, 150, 200, 250, 300, 700], nil),
        ] as [([Int64], Int?)])
    func meterReportsSlownessAfterWholeDuration(totals: [Int64], look: Int?) {
        var meter = LowSpeedMeter(LowSpeedLimit(bytesPerSecond: 800, duration: .seconds(1)))
        var now: UInt64 = 7_000_000_000
        meter.begin(now: now)
        var found: Int?
        for (index, total) in totals.enumerated() where found == nil {
            let isFoundEarly = meter.checkTooSlow(now: now, byteCount: total)
            #expect(!isFoundEarly)
            now += 125_000_000
            #expect(meter.nextLook == now)
            if meter.checkTooSlow(now: now, byteCount: total) { found = index + 1 }
        }
        #expect(found == look)
    }

    @Test func suspendedMeterIsNotCheckedAndRestarts() {
        var meter = LowSpeedMeter(LowSpeedLimit(bytesPerSecond: 1, duration: .milliseconds(8)))
        #expect(meter.nextLook == .max)
        meter.begin(now: 0)
        let looks = (1...7).map { meter.checkTooSlow(now: $0 * 1_000_000, byteCount: 0) }
        #expect(!looks.contains(true))
        meter.suspend()
        #expect(meter.nextLook == .max)
        let isFoundSuspended = meter.checkTooSlow(now: 100_000_000, byteCount: 0)
        #expect(!isFoundSuspended)
        meter.begin(now: 200_000_000)
        let laterLooks = (1...8).map { meter.checkTooSlow(now: 200_000_000 + $0 * 1_000_000, byteCount: 0) }
        #expect(laterLooks == Array(repeating: false, count: 7) + [true])
    }
}

extension NetworkTests {
    @Suite struct LowSpeedLimitTests {
        private func options(_ bytesPerSecond: Int, _ duration: Duration) -> TransferOptions {
            TransferOptions { $0.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: bytesPerSecond, duration: duration) }
        }

        private func drip(_ count: Int, chunk: Int, every interval: Duration) -> Reply {
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
            return Reply([.bytes(head), .drip(Data(count: count), chunk: chunk, every: interval)])
        }

        @Test func slowResponseTimesOut() async throws {
            try await TestServer.answering(drip(1_000_000, chunk: 10, every: .milliseconds(5))) { server in
                let operation = await get(server.url(), options(1_000_000, .milliseconds(200)))
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .lowSpeed)
                #expect(operation.error?.message.contains("slower than 1000000 bytes per second") == true)
                await server.waitForConnectionsToClose()
            }
        }

        @Test func missingResponseTimesOut() async throws {
            try await TestServer.answering(.stall) { server in
                let operation = await get(server.url(), options(1, .milliseconds(200)))
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .lowSpeed)
            }
        }

        @Test func unreadUploadTimesOut() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.readsBodies = false
            try await TestServer.answering(.stall, serverOptions) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Data(count: 32 * 1024 * 1024)
                let operation = await perform(request, options(1000, .milliseconds(300)))
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .lowSpeed)
            }
        }

        /// Returns after more than one second.
        private static func timePasses() async throws {
            let clock = Reply([.delay(.milliseconds(1500))] + Reply.response(body: "tick").steps)
            try await TestServer.answering(clock) { _ = await get($0.url()) }
        }

        /// In this test and the next two, the server sends nothing for longer than the limit's time: while a block
        /// decides, while the operation is paused, and while the program accepts no bytes of the body.
        @Test func responseBlockTimeDoesNotCount() async throws {
            let (head, answered) = (Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8), Gate())
            let reply = Reply([.bytes(head), .wait(until: answered), .bytes(Data("ok".utf8))])
            try await TestServer.answering(reply) { server in
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: options(1, .seconds(1)))
                operation.onResponse = { _, _ in
                    try? await Self.timePasses()
                    answered.open()
                    return .allow
                }
                await operation.run().waitAsOwner()
                #expect(operation.error == nil && operation.responseString == "ok")
            }
        }

        @Test func pauseTimeDoesNotCount() async throws {
            let (head, answered) = (Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no".utf8), Gate())
            let reply = Reply([.bytes(head), .wait(until: answered), .bytes(Data("k".utf8))])
            try await TestServer.answering(reply) { server in
                let operation = RequestOperation(
                    request: URLRequest("POST", server.url(), body: "x"), options: options(1, .seconds(1)))
                let arrived = Gate()
                operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
                operation.start()
                await arrived.wait()
                operation.pause()
                try await Self.timePasses()
                operation.resume()
                answered.open()
                await operation.waitAsOwner()
                #expect(operation.error == nil && operation.responseString == "ok")
                #expect(server.requests.count == 1)
            }
        }

        @Test func slowConsumerTimeDoesNotCount() async throws {
            let body = Data.patterned(byteCount: 8_000_000)
            try await TestServer.answering(.response(body: body)) { server in
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: options(1, .seconds(1)))
                var chunks = operation.chunks(bufferByteCount: 1).makeAsyncIterator()
                operation.start()
                var taken = try await chunks.next() ?? Data()
                try await Self.timePasses()
                while let chunk = try await chunks.next() { taken += chunk }
                #expect(operation.error == nil && taken == body)
            }
        }

        @Test(arguments: [
            LowSpeedLimit(bytesPerSecond: 0, duration: .seconds(1)), .init(bytesPerSecond: 1, duration: .zero),
        ])
        func invalidLimitIsRefusedBeforeSending(limit: LowSpeedLimit) async throws {
            try await TestServer.answering(.response()) { server in
                let operation = await get(server.url(), options(limit.bytesPerSecond, limit.duration))
                #expect(operation.code == .invalidRequest)
                #expect(server.connectionCount == 0)
            }
        }
    }
}
