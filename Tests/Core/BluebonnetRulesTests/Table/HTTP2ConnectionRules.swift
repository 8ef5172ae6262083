// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RuleTable {
    private typealias Frame = HTTP2WireServer.Frame
    private static let ok = RuleCase.okFrames

    static let http2Connections: [Rule] = [
        Rule(
            .http2, "3.2", "HTTP/2 over TLS is negotiated as h2",
            .held(
                .http2 { server, options in
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    #expect(server.heads.count == 1)
                })),
        Rule(
            .http2, "3.4", "a connection begins with the preface, and SETTINGS as the first frame",
            .held(
                .http2 { server, options in
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    #expect(server.prefaces == ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
                    #expect(server.frames.first.map { [Int($0.kind), Int($0.flags), $0.stream] } == [4, 0, 0])
                })),
        Rule(
            .http2, "3.4", "a server that does not begin with SETTINGS breaks the protocol",
            .held(
                opening([.ping]) { operation in #expect(operation.error != nil) })),
        Rule(
            .http2, "4.1", "a frame of an unknown type is ignored",
            .held(
                .frames(
                    [Frame(kind: 0xEE, stream: .request, payload: [1, 2, 3]), Frame(kind: 0xEF)] + ok, .body("ok")))),
        Rule(
            .http2, "4.1", "unknown flags are ignored",
            .held(
                .frames(
                    [
                        .head([(":status", "200")]),
                        Frame(kind: 0, flags: 0xF0 | 1, stream: .request, payload: [0x6F, 0x6B]),
                    ],
                    .body("ok")))),
        Rule(
            .http2, "4.1", "the reserved bit before a stream's number is ignored",
            .held(
                .frames(
                    [
                        .head([(":status", "200")]),
                        Frame(kind: 0, flags: 1, stream: .behind(1 << 31), payload: [0x6F, 0x6B]),
                    ], .body("ok")))),
        Rule(
            .http2, "4.2", "a frame that is larger than the limit is an error",
            .held(
                .frames(
                    [
                        .head([(":status", "200")]),
                        Frame(kind: 0, flags: 1, stream: .request, payload: Array(repeating: 0x78, count: 16_385)),
                    ], .anyError))),
        Rule(
            .http2, "4.3", "fields that cannot be decoded end the connection",
            .held(
                .frames(
                    [Frame(kind: 1, flags: 5, stream: .request, payload: Array(repeating: 0xFF, count: 9))], .anyError))
        ),
        Rule(
            .http2, "4.3", "the frames of one field section follow each other: others between them end the connection",
            .held(
                .frames(
                    [.head([(":status", "200")], isWhole: false), .ping, Frame(kind: 9, flags: 4, stream: .request)]
                        + ok,
                    .anyError))),
        Rule(
            .http2, "5.4.1", "after a connection error the connection is closed and sends nothing",
            .held(
                .http2 { server, options in
                    #expect(await get(server.url([Frame(kind: 6, payload: [1])] + ok), options).error != nil)
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    #expect(server.connectionsOfRequests.map(\.count) == [1, 1])
                })),
        Rule(
            .http2, "5.5", "unknown extensions are ignored, in settings too",
            .held(
                .frames([.settings([(0xFFFF, 7), (0x1234, 0)]), Frame(kind: 0x20, payload: [0])] + ok, .body("ok")))),
        Rule(
            .http2, "9.1.1", "a connection serves another host only if its certificate allows that",
            .stricter(
                "a connection serves the one host that it was opened for",
                .http2 { server, options in
                    var options = options
                    options.addressOverrides = ["localhost": "127.0.0.1"]
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    var parts = try #require(URLComponents(url: server.url(path: ""), resolvingAgainstBaseURL: false))
                    parts.host = "localhost"
                    #expect(await get(try #require(parts.url), options).end == "ok")
                    #expect(server.connectionsOfRequests.map(\.count) == [1, 1])
                })),
        Rule(
            .http2, "9.2", "TLS 1.2 or later is used",
            .held(
                RuleCase {
                    for version in [TestServer.TLSVersion.v10, .v11] {
                        var server = TestServer.Options()
                        (server.certificate, server.tlsVersion) = (.localhost, version)
                        try await TestServer.serving(server, script: { _ in .response() }) {
                            let options = try TransferOptions.trustingTestAuthority
                            #expect(await get($0.url(), options).error != nil)
                            #expect($0.requests.isEmpty)
                        }
                    }
                })),
        Rule(.http2, "9.2", "the TLS handshake includes the name of the host (SNI)", .held(serverName)),
        Rule(
            .http2, "9.2.1", "TLS is not renegotiated on a connection",
            .held(.elsewhere("RenegotiationTests.secondHandshakeDoesNotBegin"))),
        Rule(
            .http2, "9.2.1", "TLS compression is not used",
            .notApplicable("OpenSSL as distributions build it has no compression")),
        Rule(
            .http2, "9.2.3", "a request for a client certificate after the handshake of TLS 1.3 ends the connection",
            .notApplicable("such requests are not offered to servers")),
    ]

    private static var serverName: RuleCase {
        var example = RuleCase {
            try await OpenSSLServer.serving(.localhost, ["-tlsextdebug"]) { server in
                var options = try TransferOptions.trustingTestAuthority
                options.addressOverrides = ["localhost": "127.0.0.1"]
                var parts = try #require(URLComponents(url: server.url(), resolvingAgainstBaseURL: false))
                parts.host = "localhost"
                #expect(await get(try #require(parts.url), options).error == nil)
                await eventually(server.log) { $0.contains("extension \"server name\"") }
            }
        }
        example.isPossible = OpenSSLServer.isAvailable
        return example
    }

    /// A connection that the server opens with these frames.
    private static func opening(
        _ frames: [HTTP2WireServer.Frame], _ check: @escaping @Sendable (RequestOperation) -> Void
    ) -> RuleCase {
        var example = RuleCase {
            var options = try TransferOptions.trustingTestAuthority
            options.timeouts.idle = .seconds(5)
            try await HTTP2WireServer.serving(opening: frames) { [options] server in
                check(await get(server.url(path: ""), options))
            }
        }
        example.isPossible = HTTP2WireServer.isAvailable
        return example
    }
}
