// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

extension RuleTable {
    private typealias Frame = HTTP2WireServer.Frame
    private static let ok = RuleCase.okFrames

    /// Invalid frames before a valid response cause a connection error.
    private static func wrong(_ frames: [HTTP2WireServer.Frame]) -> RuleCase {
        RuleCase.frames(frames + ok, .anyError)
    }

    private static func wrong(_ kind: UInt8, _ stream: HTTP2WireServer.Frame.Stream, _ payload: [UInt8]) -> RuleCase {
        wrong([HTTP2WireServer.Frame(kind: kind, stream: stream, payload: payload)])
    }

    static let http2Frames: [Rule] = [
        Rule(.http2, "6.1", "DATA without a stream ends the connection", .held(wrong(0, .connection, [1]))),
        Rule(
            .http2, "6.1", "DATA with more padding than payload ends the connection",
            .held(
                .frames(
                    [.head([(":status", "200")]), Frame(kind: 0, flags: 9, stream: .request, payload: [20, 1, 2])],
                    .anyError))),
        Rule(
            .http2, "6.1", "padding is not part of the content",
            .held(
                .frames(
                    [
                        .head([(":status", "200")]),
                        Frame(kind: 0, flags: 9, stream: .request, payload: [3, 0x6F, 0x6B, 0, 0, 0]),
                    ], .body("ok")))),
        Rule(
            .http2, "6.2", "HEADERS without a stream ends the connection",
            .held(wrong([Frame(kind: 1, flags: 5, payload: Frame.literal(":status", "200"))]))),
        Rule(
            .http2, "6.2", "HEADERS with more padding than payload ends the connection",
            .held(wrong([Frame(kind: 1, flags: 12, stream: .request, payload: [200, 0])]))),
        Rule(
            .http2, "6.3", "PRIORITY without a stream ends the connection",
            .deviates(
                "nghttp2 1.70 ignores such a frame",
                .frames(
                    [Frame(kind: 2, stream: .connection, payload: [0, 0, 0, 0, 16])] + ok,
                    Nghttp2.version < 0x014100 ? .anyError : .body("ok")))),
        Rule(
            .http2, "6.3", "PRIORITY of other than five bytes is an error",
            .held(wrong(2, .request, [0, 0, 0, 0]))),
        Rule(
            .http2, "6.4", "RST_STREAM without a stream ends the connection",
            .held(wrong(3, .connection, [0, 0, 0, 8]))),
        Rule(
            .http2, "6.4", "RST_STREAM of an idle stream ends the connection",
            .held(wrong(3, .behind(100), [0, 0, 0, 8]))),
        Rule(
            .http2, "6.4", "RST_STREAM of other than four bytes ends the connection",
            .held(wrong(3, .request, [0, 0, 8]))),
        Rule(
            .http2, "6.5", "SETTINGS on a stream ends the connection",
            .held(wrong(4, .request, [0, 3, 0, 0, 0, 100]))),
        Rule(
            .http2, "6.5", "SETTINGS of other than six bytes a parameter ends the connection",
            .held(wrong(4, .connection, [0, 3, 0, 0, 0]))),
        Rule(
            .http2, "6.5", "an acknowledgement with a payload ends the connection",
            .held(wrong([Frame(kind: 4, flags: 1, payload: [0, 3, 0, 0, 0, 100])]))),
        Rule(
            .http2, "6.5.2", "SETTINGS_ENABLE_PUSH from a server is 0, otherwise the connection ends",
            .held(
                RuleCase {
                    for value in [1, 2] { try await wrong([.settings([(2, value)])]).run() }
                    try await RuleCase.frames([.settings([(2, 0)])] + ok, .body("ok")).run()
                })),
        Rule(
            .http2, "6.5.2", "a window beyond 31 bits ends the connection",
            .held(wrong([.settings([(4, 0x8000_0000)])]))),
        Rule(
            .http2, "6.5.2", "a frame size out of its range ends the connection",
            .held(
                RuleCase {
                    for value in [1, 16_383, 16_777_216] { try await wrong([.settings([(5, value)])]).run() }
                })),
        Rule(
            .http2, "6.5.2", "unknown parameters are ignored",
            .held(.frames([.settings([(99, 1), (0xF000, 0xFFFF_FFFF)])] + ok, .body("ok")))),
        Rule(
            .http2, "6.5.3", "SETTINGS are acknowledged at once",
            .held(
                .http2 { server, options in
                    #expect(await get(server.url([.settings([(3, 50)])] + ok), options).end == "ok")
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    await eventually(server.frames.filter { $0.kind == 4 && $0.flags == 1 }.count) { $0 >= 2 }
                })),
        Rule(
            .http2, "6.5.3", "parameters are applied in their order",
            .held(.frames([.settings([(3, 0), (3, 100)])] + ok, .body("ok"))),
        ),
        Rule(
            .http2, "6.6", "push is switched off, and PUSH_PROMISE then ends the connection",
            .held(
                .http2 { server, options in
                    let promise: [UInt8] = [0, 0, 0, 2] + Frame.literal(":method", "GET")
                    let push = Frame(kind: 5, flags: 4, stream: .request, payload: promise)
                    #expect(await get(server.url([push] + ok), options).error != nil)
                    let settings = try #require(server.frames.first { $0.kind == 4 }).payload
                    let parameters = stride(from: 0, to: settings.count, by: 6).map { Array(settings[$0..<$0 + 6]) }
                    #expect(parameters.contains([0, 2, 0, 0, 0, 0]))
                })),
        Rule(
            .http2, "6.7", "PING is answered with its payload, and an answer to PING is not",
            .held(
                .http2 { server, options in
                    let answer = Frame(kind: 6, flags: 1, payload: [8, 7, 6, 5, 4, 3, 2, 1])
                    #expect(await get(server.url([.ping, answer] + ok), options).end == "ok")
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    await eventually(server.frames.filter { $0.kind == 6 }.count) { $0 == 1 }
                    let pings = server.frames.filter { $0.kind == 6 }
                    #expect(pings.map(\.flags) == [1])
                    #expect(pings.map(\.payload) == [[1, 2, 3, 4, 5, 6, 7, 8]])
                })),
        Rule(
            .http2, "6.7", "PING on a stream ends the connection",
            .held(wrong(6, .request, [1, 2, 3, 4, 5, 6, 7, 8]))),
        Rule(
            .http2, "6.7", "PING of other than eight bytes ends the connection",
            .held(wrong(6, .connection, [1, 2, 3, 4, 5, 6, 7]))),
        Rule(
            .http2, "6.8", "after GOAWAY no streams are opened on the connection",
            .held(
                .http2 { server, options in
                    let away = Frame(kind: 7, payload: [0, 0, 0, 1, 0, 0, 0, 0])
                    #expect(await get(server.url([away] + ok), options).end == "ok")
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    #expect(server.connectionsOfRequests.map(\.count) == [1, 1])
                })),
        Rule(
            .http2, "6.8", "GOAWAY on a stream ends the connection",
            .held(wrong(7, .request, [0, 0, 0, 0, 0, 0, 0, 0]))),
        Rule(
            .http2, "6.9", "WINDOW_UPDATE of zero is an error",
            .held(
                RuleCase {
                    try await wrong(8, .connection, [0, 0, 0, 0]).run()
                    try await wrong(8, .request, [0, 0, 0, 0]).run()
                })),
        Rule(
            .http2, "6.9", "WINDOW_UPDATE of other than four bytes ends the connection",
            .held(wrong(8, .connection, [0, 0, 1]))),
        Rule(
            .http2, "6.9.1", "a window beyond 31 bits is an error",
            .held(
                RuleCase {
                    let update: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
                    try await wrong(8, .connection, update).run()
                    try await wrong(8, .request, update).run()
                })),
        Rule(
            .http2, "6.9.2", "a smaller initial window applies to open streams, and may make their windows negative",
            .held(
                .http2 { server, options in
                    let frames: [Frame] = [
                        .settings([(4, 0)]), Frame(kind: 8, stream: .request, payload: [0, 3, 0xFF, 0xFF]),
                        Frame(kind: 8, payload: [0, 3, 0xFF, 0xFF]),
                    ]
                    let request = URLRequest(
                        "POST", server.url(frames, isEarly: true), body: String(repeating: "x", count: 100_000))
                    var options = options
                    options.timeouts.idle = .seconds(1)
                    #expect(await perform(request, options).error?.code == .timedOut)
                    await becomes(100_000) { server.dataByteCount }
                })),
        Rule(
            .http2, "6.10", "CONTINUATION follows HEADERS or CONTINUATION of its stream, otherwise the connection ends",
            .held(
                RuleCase {
                    let more = Frame(kind: 9, flags: 4, stream: .request, payload: Frame.literal("a", "b"))
                    try await wrong([more]).run()
                    let other = Frame(kind: 9, flags: 4, stream: .behind(2), payload: Frame.literal("a", "b"))
                    try await wrong([.head([(":status", "200")], isWhole: false), other]).run()
                })),
        Rule(
            .http2, "6.10", "a head in HEADERS and CONTINUATION is one head",
            .held(
                .frames(
                    [
                        .head([(":status", "200")], isWhole: false),
                        Frame(kind: 9, stream: .request, payload: Frame.literal("a", "b")),
                        Frame(kind: 9, flags: 4, stream: .request, payload: Frame.literal("content-length", "2")),
                        .data("ok", ends: true),
                    ], .body("ok")))),
        Rule(
            .http2, "7", "unknown error codes have no special meaning",
            .held(
                RuleCase {
                    try await RuleCase.frames([.reset(0xEE)], .anyError).run()
                    let away = Frame(kind: 7, payload: [0, 0, 0, 1, 0, 0, 0, 0xEE])
                    try await RuleCase.frames([away] + ok, .body("ok")).run()
                })),
    ]
}

/// The nghttp2 library that libcurl uses.
private enum Nghttp2 {
    /// The version with one byte each for major, minor and patch; 0 without nghttp2.
    static let version: Int32 = {
        guard let symbol = dlsym(nil, "nghttp2_version") else { return 0 }
        typealias Function = @convention(c) (_ leastVersion: Int32) -> UnsafeRawPointer?
        // The version number is the second field of `nghttp2_info`.
        return unsafeBitCast(symbol, to: Function.self)(0)?.load(fromByteOffset: 4, as: Int32.self) ?? 0
    }()
}
