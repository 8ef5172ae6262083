// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The data that an easy handle keeps while it waits for its next request.
@Suite(.timeLimit(.minutes(1))) struct HandlePoolTests {
    /// Runs `body` on the network thread, after libcurl has started.
    private func withPool(
        lifetime: UInt64, _ body: @escaping @Sendable (HandlePool, EventLoop) throws -> Void
    ) async throws {
        try await onNetworkThread {
            _ = NetworkServices.default.transport
            let loop = EventLoop(inbox: Inbox())
            let pool = HandlePool(loop: loop, lifetime: lifetime)
            defer { pool.close() }
            try body(pool, loop)
        }
    }

    /// A handle set up for a plain request with these fields.
    private static func handle(_ fields: [(name: String, value: String)]) throws -> EasyHandle {
        let url = ScriptedNetwork.url("/")
        let headers = fields.map { HeaderFields.Field(name: $0.name, value: $0.value) }
        let handle = EasyHandle()
        try handle.setHeaders(headers, namingHost: false) { (headers, []) }
        handle.setup = HandleSetup(
            TransferRequest(url: url, origin: try #require(Origin(url)), method: "GET", headers: headers))
        return handle
    }

    /// The fields in the handle's own copy, and whether the handle has lines for libcurl.
    private static func retained(by handle: EasyHandle) -> (fields: [HeaderFields.Field], hasLines: Bool) {
        let mirror = Mirror(reflecting: handle)
        let fields = mirror.descendant("headers") as? [HeaderFields.Field]
        let lines = mirror.descendant("headerLines", "block") as? UnsafeMutableRawBufferPointer
        #expect(fields != nil && lines != nil, "the handle's lists have other names now")
        return (fields ?? [], lines?.contains { $0 != 0 } == true)
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "traceparent"])
    func idleHandleDoesNotKeepCallerFields(name: String) async throws {
        try await withPool(lifetime: .max / 2) { pool, _ in
            let handle = try Self.handle([("Accept", "*/*"), (name, "secret")])
            #expect(Self.retained(by: handle).fields.count == 2 && Self.retained(by: handle).hasLines)
            pool.recycle(handle)
            #expect(pool.count == 1)
            #expect(Self.retained(by: handle).fields.isEmpty && !Self.retained(by: handle).hasLines)
        }
    }

    @Test func harmlessFieldsAreKeptForTheNextRequest() async throws {
        try await withPool(lifetime: .max / 2) { pool, _ in
            let handle = try Self.handle([("Accept-Language", "en"), ("User-Agent", "test")])
            pool.recycle(handle)
            #expect(Self.retained(by: handle).fields.count == 2 && Self.retained(by: handle).hasLines)
        }
    }

    @Test func idleHandleIsClosedAfterItsLifetime() async throws {
        try await withPool(lifetime: 0) { pool, loop in
            for _ in 0..<3 { pool.recycle(EasyHandle()) }
            #expect(pool.count == 3)
            loop.runTurn()
            #expect(pool.count == 0)
        }
    }

    @Test func idleHandleStaysForItsLifetime() async throws {
        try await withPool(lifetime: .max / 2) { pool, loop in
            let handle = EasyHandle()
            pool.recycle(handle)
            loop.runTurn()
            #expect(pool.count == 1)
            #expect(pool.acquire(forJar: false) === handle)
            pool.recycle(handle)
        }
    }
}
