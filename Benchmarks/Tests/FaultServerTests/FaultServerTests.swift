// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import FaultServer
import Foundation
import Glibc
import Testing

/// The fault server, with a socket as its client.
@Suite(.timeLimit(.minutes(1))) struct FaultServerTests {
    @Test func repliesFollowTheRoutesInTheirOrder() throws {
        try serving(ServerPlan(.plain, ["/a": [.ok("first"), .ok("later")], "AUTH /a": [.ok("in")]])) { server throws in
            #expect(try exchange(server, "GET /a HTTP/1.1\r\n\r\n", until: "first").hasSuffix("\r\n\r\nfirst"))
            #expect(try exchange(server, "GET /a?q HTTP/1.1\r\n\r\n", until: "later").hasSuffix("\r\n\r\nlater"))
            #expect(try exchange(server, "GET /a HTTP/1.1\r\nAuthorization: x\r\n\r\n", until: "in").hasSuffix("in"))
            #expect(try exchange(server, "GET /b HTTP/1.1\r\n\r\n", until: "\r\n\r\n").hasPrefix("HTTP/1.1 404"))
            #expect(server.report.requests.map(\.path) == ["/a", "/a", "/a", "/b"])
            #expect(server.report.connectionCount == 4)
        }
    }

    @Test func cutReplyEndsWithTheConnection() throws {
        try serving(ServerPlan(.plain, .text("half {0:port}"), .close)) { server throws in
            #expect(try exchange(server, "GET / HTTP/1.1\r\n\r\n", until: nil) == "half \(server.port)")
        }
    }

    @Test func floodHasTheDeclaredLength() throws {
        try serving(ServerPlan(.plain, .flood(Array("abc".utf8), count: 100_000), .close)) { server throws in
            #expect(try exchange(server, "GET / HTTP/1.1\r\n\r\n", until: nil).utf8.count == 300_000)
        }
    }

    @Test func bodiesAreRecorded() throws {
        try serving(ServerPlan(.plain, ["*": [.ok("done")]])) { server throws in
            _ = try exchange(server, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", until: "done")
            #expect(server.report.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["abc"])
        }
    }

    private func serving(_ plan: ServerPlan, _ body: (FaultServer) throws -> Void) throws {
        let server = try FaultServer(plan)
        defer { server.stop() }
        server.set(Origins([(plan.origin, server.port)]))
        try body(server)
    }

    /// Sends text on a new connection, and reads until the received bytes end with `end`, or to the end of the
    /// connection.
    private func exchange(_ server: FaultServer, _ text: String, until end: String?) throws -> String {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(server.port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        try #require(status == 0)
        let bytes = Array(text.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            received += buffer[..<count]
            if let end, received.suffix(end.utf8.count) == Array(end.utf8)[...] { break }
        }
        return String(decoding: received, as: UTF8.self)
    }
}
