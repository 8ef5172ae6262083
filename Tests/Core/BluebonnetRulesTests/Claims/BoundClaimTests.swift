// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RulesTests {
    /// Responses whose bodies or frames are endless or expand out of proportion.
    @Suite struct BoundClaimTests {
        /// 1 MiB of zeros, compressed with gzip twice to 60 bytes.
        private static let zeros =
            Data(base64Encoded: "H4sIAAAAAAACA5Pv5mAAASbmtwcNGYGMQwu++udyxC9gGAWjYBSMOGDHLPPKYjkDgwADACPwtJAbBAAA")
            ?? Data()

        /// "hello", compressed with gzip five and six times.
        private static let layers = [
            5: "H4sIAAAAAAACA5Pv5mAAASbmye+fJTAwqj07+X6+qoHBKlvrn3X7VjUe1Lp91+ry/ZuvV9/Scn9pN2XGuYM1Py7L3y2dLOMiqTd/"
                + "gshlpixGhi3Pq15aA00BACMrmftOAAAA",
            6: "H4sIAAAAAAACA5Pv5mAAASbmye+fJTAwqj07+X6+qoHBKlvrn3X7VjUe1Ip+Pb/0d5ip3JVdtddfffo7e334/UtF9Znmqcd2Npva"
                + "652+rztX57HSSvP6phOpy3Tc2nTPr46LYvZlZFDWnvnbD2g0ACCpR4RjAAAA",
        ]

        private func bomb(status: Int) -> Reply {
            let head =
                "HTTP/1.1 \(status) Bomb\r\nLocation: /end\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
                + "Content-Encoding: gzip, gzip\r\nConnection: close\r\n\r\n"
            let many = Data(repeatElement(Self.zeros, count: 1000).joined())
            return .steps([.bytes(Data(head.utf8)), .endless(chunk: many)])
        }

        @Test(arguments: [301, 307])
        func redirectBodyBombIsNotRead(status: Int) async throws {
            let bomb = bomb(status: status)
            try await TestServer.scripted(answering { $0.path == "/end" ? .response(body: "end") : bomb }) { server in
                let operation = await get(server.url("/start"))
                #expect(operation.end == "end")
                #expect(operation.receivedByteCount == 3)
            }
        }

        @Test func challengeBodyBombIsNotRead() async throws {
            let bomb = bomb(status: 401)
            let script: TestServer.Script = { $0.headers["Authorization"] == nil ? bomb : .response(body: "end") }
            try await TestServer.scripted(script) { server in
                let operation = await get(
                    server.url(),
                    TransferOptions {
                        $0.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                    })
                #expect(operation.end == "end")
            }
        }

        @Test func errorBodyBombIsBounded() async throws {
            let bomb = bomb(status: 500)
            try await TestServer.answering(bomb) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.start()
                try? await operation.waitUntilEnded()
                #expect(operation.error?.code == .unacceptableStatus)
                #expect((operation.error?.body?.count ?? 0) <= 64 * 1024 * 1024)
            }
        }

        @Test(arguments: [5, 6], [true, false])
        func fiveContentCodingsAreDecodedAndSixRefused(count: Int, isOneField: Bool) async throws {
            let body = Data(base64Encoded: try #require(Self.layers[count])) ?? Data()
            let fields =
                isOneField
                ? [("Content-Encoding", Array(repeating: "gzip", count: count).joined(separator: ", "))]
                : Array(repeating: ("Content-Encoding", "gzip"), count: count)
            try await TestServer.answering(.response(headers: WireFields(fields), body: body)) { server in
                let operation = await get(server.url())
                guard count > 5 else { return #expect(operation.end == "hello") }
                #expect(operation.error?.code == .cannotDecodeBody)
                #expect(operation.error?.message.contains("codings") == true, "\(operation.error?.message ?? "")")
            }
        }

        /// Chunk lines that never end: in the size, in the extension's name, and in its value.
        @Test(arguments: ["0000000000", "1;", "1;x=", "1;x=\"", "1 "])
        func endlessChunkLineFails(start: String) async throws {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let reply = Reply.steps([
                .bytes(Data((head + "3\r\nabc\r\n" + start).utf8)),
                .endless(chunk: Data(String(repeating: start.first == "0" ? "0" : "x", count: 65_536).utf8)),
            ])
            try await TestServer.answering(reply) { server in
                let operation = await get(server.url())
                #expect(operation.error?.code == .badServerResponse, "\(operation.end)")
                #expect(operation.receivedByteCount == 3)
            }
        }
    }
}

extension RulesTests {
    /// HTTP/2 servers that abuse the protocol to attack their clients.
    @Suite(.enabled(if: HTTP2WireServer.isAvailable)) struct HTTP2ClaimTests {
        private typealias Frame = HTTP2WireServer.Frame

        /// Answers one request with `frames`. Returns its operation and the frames that the server received. The next
        /// request must succeed.
        private func end(
            _ frames: [HTTP2WireServer.Frame], isClosed: Bool = false
        ) async throws -> (RequestOperation, [HTTP2WireServer.ReceivedFrame]) {
            try await HTTP2WireServer.serving { server in
                var options = try TransferOptions.trustingTestAuthority
                options.timeouts.idle = .seconds(3)
                let operation = await get(server.url(frames, isClosed: isClosed), options)
                let next = await get(server.url(path: "/next"), options)
                #expect(next.end == "ok", "\(next.error as Any)")
                return (operation, server.frames)
            }
        }

        private static let ok: [HTTP2WireServer.Frame] = [.head([(":status", "200")]), .data("ok", ends: true)]

        @Test func continuationFloodFailsRequest() async throws {
            let more = Frame(
                kind: 9, stream: .request, payload: Frame.literal("x-flood", String(repeating: "f", count: 100)))
            let (operation, _) = try await end([.head([(":status", "200")], isWhole: false), more.repeated(100_000)])
            #expect(operation.error != nil)
            #expect(operation.responseHeaders["x-flood"] == nil)
        }

        @Test(arguments: [HTTP2WireServer.Frame.settings(), .settings([(3, 100)]), .ping])
        func clientSurvivesAcknowledgedFrameFlood(frame: HTTP2WireServer.Frame) async throws {
            let (operation, _) = try await end([frame.repeated(20_000)] + Self.ok)
            #expect(operation.end == "ok" || operation.error != nil)
        }

        @Test func clientSurvivesEmptyDataFlood() async throws {
            let empty = Frame(kind: 0, stream: .request)
            let (operation, _) = try await end([
                .head([(":status", "200")]), empty.repeated(100_000), .data("ok", ends: true),
            ])
            #expect(operation.end == "ok" || operation.error != nil)
        }

        @Test func serverPushIsDisabledAndRefused() async throws {
            let promised = Frame.literal(":method", "GET") + Frame.literal(":scheme", "https")
            let push = Frame(kind: 5, flags: 4, stream: .request, payload: [0, 0, 0, 2] + promised)
            let (operation, frames) = try await end([push] + Self.ok)
            #expect(operation.error != nil)
            let settings = try #require(frames.first { $0.kind == 4 && $0.flags == 0 })
            let parameters = stride(from: 0, to: settings.payload.count, by: 6).map {
                Array(settings.payload[$0..<$0 + 6])
            }
            #expect(parameters.contains([0, 2, 0, 0, 0, 0]), "SETTINGS_ENABLE_PUSH is 0")
        }

        @Test(arguments: [
            ("transfer-encoding", "chunked"), ("connection", "close"), ("keep-alive", "timeout=5"), ("upgrade", "x"),
            ("proxy-connection", "close"), ("x-nul", "a\0b"), ("x-cr", "a\rb"), ("x-lf", "a\nx-injected: 1"),
            ("x-crlf", "a\r\nx-injected: 1"), ("x\0name", "1"), ("x\r\nname", "1"), ("X-Upper", "1"), ("x name", "1"),
            ("x:name", "1"), ("", "1"), (":path", "/"),
        ])
        func forbiddenResponseFieldIsRefused(name: String, value: String) async throws {
            let frames: [Frame] = [
                .head([(":status", "200"), ("x-before", "1"), (name, value)]), .data("ok", ends: true),
            ]
            let (operation, _) = try await end(frames)
            #expect(operation.error?.code == .badServerResponse, "\(operation.end)")
        }
    }
}
