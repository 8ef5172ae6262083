// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation
import Glibc
import Testing

@testable import BluebonnetServing

@Suite(.timeLimit(.minutes(2))) struct ResponderTests {
    /// The sets of topics that a responder has reported.
    private final class Topics: Sendable {
        private let state = Mutex<[Set<String>]>([])

        func add(_ topics: Set<String>) { state.withLock { $0.append(topics) } }

        var all: [Set<String>] { state.withLock { $0 } }

        /// Waits until a set was reported.
        func wait(for topics: Set<String>, count: Int = 1) async throws {
            while all.count(where: { $0 == topics }) < count { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private static func reply(_ request: ServedRequest) -> ServedReply {
        switch request.path {
        case "/events": .events(topic: request.query["topic"] ?? "all")
        case "/next": .next(topic: "all") { ServedResponse(contentType: "text/plain", body: $0) }
        case "/missing": .response(ServedResponse(status: 404, text: "missing"))
        default: .response(ServedResponse(contentType: "text/plain", body: Array(request.path.utf8)))
        }
    }

    private static func responder(
        access: AccessRule = AccessRule(), limits: ResponderLimits = ResponderLimits(), _ topics: Topics = Topics()
    ) throws -> Responder {
        try Responder(
            on: ServingAddress(host: "127.0.0.1", port: 0), access: access, limits: limits, onTopics: topics.add,
            reply: reply)
    }

    private static func limits(_ change: (inout ResponderLimits) -> Void) -> ResponderLimits {
        var limits = ResponderLimits()
        change(&limits)
        return limits
    }

    @Test func connectionIsReused() async throws {
        let responder = try Self.responder()
        try await blocking {
            let client = try RawClient(responder.address)
            for path in ["/a", "/b"] {
                client.get(path)
                let response = client.response()
                #expect(response?.status == 200 && response?.body == path)
            }
            client.send("HEAD /c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let head = client.rest()
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("Content-Length: 2\r\n"))
            #expect(head.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let responder = try Self.responder()
        try await blocking {
            let client = try RawClient(responder.address)
            let count = 200
            client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" }.joined())
            #expect((0..<count).map { _ in client.response()?.body ?? "" } == (0..<count).map { "/\($0)" })
        }
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", 405),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n", 421), ("nonsense\r\n\r\n", 400),
        ("GET /missing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    ]) func refusalArrivesAtAClientThatStillSends(text: String, status: Int) async throws {
        let responder = try Self.responder()
        try await blocking {
            let client = try RawClient(responder.address)
            client.send(text + String(repeating: "x", count: 10_000))
            #expect(client.response()?.status == status)
        }
    }

    @Test func oversizeHeadIsRefused() async throws {
        let responder = try Self.responder()
        try await blocking {
            let client = try RawClient(responder.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 60_000))
            #expect(client.response()?.status == 431)
        }
    }

    @Test func halfHeadEndsWithItsTime() async throws {
        let responder = try Self.responder(limits: Self.limits { $0.headTime = .milliseconds(300) })
        try await blocking {
            let client = try RawClient(responder.address)
            client.send("GET / HTTP/1.1\r\nHo")
            #expect(client.rest() == "")
            let idle = try RawClient(responder.address)
            idle.get("/a")
            #expect(idle.response()?.status == 200)
            #expect(idle.rest() == "")
        }
    }

    @Test func slowConnectionsDoNotKeepReadersAway() async throws {
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = files.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        let responder = try Self.responder()
        try await blocking {
            let viewer = try RawClient(responder.address)
            viewer.get("/events")
            _ = viewer.text(upTo: "\r\n\r\n")
            var slow: [RawClient] = []
            for _ in 0..<1_000 {
                let client = try RawClient(responder.address)
                client.send("GET / HTTP/1.1\r\nHo")
                slow.append(client)
            }
            let client = try RawClient(responder.address)
            client.get("/a")
            #expect(client.response()?.body == "/a")
            responder.publish(Array("still here".utf8), topic: "all")
            #expect(viewer.text(upTo: "\n\n") == "data: still here\n\n")
            // The oldest slow connections made place for the others.
            #expect(slow[0].rest() == "")
        }
    }

    @Test func tokenIsDemanded() async throws {
        let responder = try Self.responder(access: AccessRule(token: "0123456789abcdef"))
        try await blocking {
            let client = try RawClient(responder.address)
            client.get("/a")
            let head = client.text(upTo: "\r\n\r\n") ?? ""
            #expect(head.hasPrefix("HTTP/1.1 401 ") && head.contains("WWW-Authenticate: Basic realm=\"bluebonnet\""))
            #expect(client.text(upTo: "\n") == "the token is missing or wrong\n")
            client.get("/a", "Authorization: Bearer 0123456789abcdee")
            #expect(client.response()?.status == 401)
            client.get("/events", "Authorization: Bearer wrong")
            #expect(client.response()?.status == 401)
            client.get("/a", "Authorization: Bearer 0123456789abcdef")
            #expect(client.response()?.body == "/a")
        }
    }

    @Test func eventsGoToAllViewersOfATopic() async throws {
        let topics = Topics()
        let responder = try Self.responder(topics)
        let clients = try (0..<3).map { _ in try RawClient(responder.address) }
        for (index, client) in clients.enumerated() { client.get("/events?topic=\(index == 0 ? "a" : "b")") }
        try await topics.wait(for: ["a", "b"])
        responder.publish(Array("one".utf8), topic: "a")
        responder.publish(Array("two".utf8), topic: "b")
        responder.publish(Array("three".utf8), topic: "c")
        #expect(clients[0].text(upTo: "\n\n")?.hasSuffix("\r\n\r\ndata: one\n\n") == true)
        for client in clients.dropFirst() {
            #expect(client.text(upTo: "\n\n")?.hasSuffix("\r\n\r\ndata: two\n\n") == true)
        }
    }

    @Test func topicsEndWithTheirClients() async throws {
        let topics = Topics()
        let responder = try Self.responder(topics)
        var client: RawClient? = try RawClient(responder.address)
        client?.get("/events?topic=a")
        try await topics.wait(for: ["a"])
        client = nil
        try await topics.wait(for: [])
        #expect(topics.all == [["a"], []])
        #expect(client == nil)
    }

    @Test func nextResponseFollowsThePublication() async throws {
        let topics = Topics()
        let responder = try Self.responder(topics)
        let client = try RawClient(responder.address)
        client.get("/next")
        try await topics.wait(for: ["all"])
        responder.publish(Array("fresh".utf8), topic: "all")
        #expect(client.response()?.body == "fresh")
        try await topics.wait(for: [])
        client.get("/a")
        #expect(client.response()?.body == "/a")
    }

    @Test func slowReaderIsDroppedAndOthersContinue() async throws {
        let topics = Topics()
        let responder = try Self.responder(limits: Self.limits { $0.stallTime = .milliseconds(500) }, topics)
        let (slow, other) = (try RawClient(responder.address, receiveBuffer: 4_096), try RawClient(responder.address))
        slow.get("/events?topic=slow")
        other.get("/events?topic=other")
        try await topics.wait(for: ["slow", "other"])
        let large = [UInt8](repeating: 0x78, count: 4 << 20)
        responder.publish(large, topic: "slow")
        for number in 0..<20 {
            responder.publish(large, topic: "slow")
            responder.publish(Array("\(number)".utf8), topic: "other")
            #expect(other.text(upTo: "\n\n")?.hasSuffix("data: \(number)\n\n") == true)
        }
        try await topics.wait(for: ["other"])
        #expect(slow.rest().utf8.count < large.count)
    }

    @Test func viewersAreLimited() async throws {
        let topics = Topics()
        let responder = try Self.responder(limits: Self.limits { $0.streamCount = 2 }, topics)
        let viewers = try (0..<2).map { _ in try RawClient(responder.address) }
        for (index, viewer) in viewers.enumerated() { viewer.get("/events?topic=\(index)") }
        try await topics.wait(for: ["0", "1"])
        let client = try RawClient(responder.address)
        client.get("/events")
        #expect(client.response()?.status == 503)
        client.get("/a")
        #expect(client.response()?.status == 200)
        withExtendedLifetime(viewers) {}
    }

    @Test func stopClosesEverything() async throws {
        let topics = Topics()
        let responder = try Self.responder(topics)
        let client = try RawClient(responder.address)
        client.get("/events")
        try await topics.wait(for: ["all"])
        responder.stop()
        #expect(client.rest().hasSuffix("\r\n\r\n"))
        while (try? RawClient(responder.address)) != nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func usedPortIsAnError() throws {
        let first = try Self.responder()
        #expect(throws: ServingError(message: "cannot listen on \(first.address): Address already in use")) {
            try Responder(on: first.address, access: AccessRule(), reply: Self.reply)
        }
    }
}
