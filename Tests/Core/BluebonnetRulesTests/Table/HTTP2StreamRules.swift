// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RuleTable {
    private typealias Frame = HTTP2WireServer.Frame
    private static let ok = RuleCase.okFrames

    static let http2Streams: [Rule] = [
        Rule(
            .http2, "5.1", "a frame other than HEADERS or PRIORITY on an idle stream ends the connection",
            .held(.frames([Frame(kind: 0, stream: .behind(100), payload: [1])] + ok, .anyError))),
        Rule(
            .http2, "5.1", "after the end of a stream its frames are not accepted",
            .held(
                .http2 { server, options in
                    let frames = ok + [.data("more", ends: true)]
                    let operation = await get(server.url(frames), options)
                    #expect(operation.end == "ok" || operation.error != nil)
                    #expect(await get(server.url(path: "/next"), options).end == "ok")
                })),
        Rule(
            .http2, "5.1", "after RST_STREAM no frames of the stream are sent",
            .held(
                .http2 { server, options in
                    let request = URLRequest(
                        "POST", server.url([.reset(8)], isEarly: true), body: String(repeating: "x", count: 200_000))
                    #expect(await perform(request, options).error != nil)
                    #expect(await get(server.url(path: "/next"), options).end == "ok")
                    // Data within the window (64 KiB) may already be on its way.
                    let sent = server.frames.filter { $0.kind == 0 && $0.stream == 1 }
                    #expect(sent.count <= 5, "\(sent.count)")
                })),
        Rule(
            .http2, "5.1.1", "streams of a client have increasing odd numbers",
            .held(
                .http2 { server, options in
                    for number in 0..<5 { #expect(await get(server.url(path: "/\(number)"), options).end == "ok") }
                    for heads in server.connectionsOfRequests {
                        #expect(heads.map(\.stream) == heads.indices.map { 2 * $0 + 1 })
                    }
                })),
        Rule(
            .http2, "5.1.1", "a stream that the server may not open ends the connection",
            .held(
                RuleCase {
                    for distance in [1, 2] {
                        let head = Frame(
                            kind: 1, flags: 5, stream: .behind(distance), payload: Frame.literal(":status", "200"))
                        try await RuleCase.frames([head] + ok, .anyError).run()
                    }
                })),
        Rule(
            .http2, "5.1.2", "at most as many streams are open as the server allows",
            .held(.elsewhere("HTTP2FaultTests.requestsWaitForTheServersStreamLimit"))),
        Rule(
            .http2, "5.2.1", "at most as many bytes of a body are sent as the server's window allows",
            .held(
                .http2 { server, options in
                    let url = server.url([], isEarly: true)
                    var options = options
                    options.timeouts.idle = .seconds(1)
                    let request = URLRequest("POST", url, body: String(repeating: "x", count: 200_000))
                    #expect(await perform(request, options).error?.code == .timedOut)
                    await becomes(65_535) { server.dataByteCount }
                })),
        Rule(
            .http2, "5.2.1", "consumed bytes are returned with WINDOW_UPDATE",
            .held(
                .http2 { server, options in
                    let piece = Frame(kind: 0, stream: .request, payload: Array(repeating: 0x78, count: 10_000))
                    let frames = [.head([(":status", "200")]), piece.repeated(20), .data("", ends: true)]
                    #expect(await get(server.url(frames), options).responseData?.count == 200_000)
                    await eventually(server.frames) { $0.contains { $0.kind == 8 } }
                })),
        Rule(
            .http2, "5.3", "priorities of RFC 7540 are obsolete and harmless",
            .held(
                .frames([Frame(kind: 2, stream: .request, payload: [0, 0, 0, 0, 16])] + ok, .body("ok")))),
        Rule(
            .http2, "5.4.2", "RST_STREAM is not answered with RST_STREAM",
            .deviates(
                "libcurl resets the stream once more, with STREAM_CLOSED; there is no loop",
                .http2 { server, options in
                    #expect(await get(server.url([.reset(2)]), options).error != nil)
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    // There is no RST_STREAM frame if the connection was closed in the meantime.
                    let resets = server.frames.filter { $0.kind == 3 }.map(\.payload)
                    #expect(resets.isEmpty || resets == [[0, 0, 0, 5]])
                })),
    ]
}
