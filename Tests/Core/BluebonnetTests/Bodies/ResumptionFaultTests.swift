// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Answers to a range request that may not be the rest. Wherever the body goes, it has the bytes of one version,
    /// or the operation fails.
    @Suite struct ResumptionFaultTests {
        private static let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
        private static let changed = Representation(body: Data(file.body.reversed()), etag: "\"two\"")
        private static let firstByteCount = 100_000

        /// The next answer of a server that was interrupted during the first version.
        struct Answer: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// The body with which the operation ends if it succeeds.
            var body = file.body
            /// Whether an operation that already passed its bytes on can continue.
            var isRest = false
            let reply: @Sendable (ReceivedRequest, _ offset: Int) -> Reply

            static let all = [
                Answer(testDescription: "the rest", isRest: true) { _, offset in file.part(from: offset) },
                Answer(testDescription: "the rest, without ranges being announced", isRest: true) { _, offset in
                    part(offset, ["Accept-Ranges": "none"])
                },
                Answer(testDescription: "the rest in chunks", isRest: true) { _, offset in
                    .chunked(status: 206, headers: fields(offset), chunks: [file.body.dropFirst(offset)])
                },
                Answer(testDescription: "the whole") { _, _ in file.whole },
                Answer(testDescription: "the changed whole", body: changed.body) { _, _ in changed.whole },
                Answer(testDescription: "the rest of the changed one, condition ignored", body: changed.body) {
                    _, offset in changed.part(from: offset)
                },
                Answer(testDescription: "the rest of the changed one, without a tag", body: changed.body) { _, offset in
                    let range = "bytes \(offset)-199999/200000"
                    return .response(
                        status: 206, headers: ["Content-Range": range], body: changed.body.dropFirst(offset))
                },
                Answer(testDescription: "several parts") { _, offset in
                    let part = "--x\r\nContent-Range: bytes \(offset)-199999/200000\r\n\r\n"
                    let headers: WireFields = [
                        "ETag": "\"one\"", "Content-Type": "multipart/byteranges; boundary=x",
                    ]
                    let body = Data(part.utf8) + file.body.dropFirst(offset) + Data("\r\n--x--\r\n".utf8)
                    return .response(status: 206, headers: headers, body: body)
                },
                Answer(testDescription: "a coded rest") { _, offset in part(offset, ["Content-Encoding": "gzip"]) },
                Answer(testDescription: "one byte early") { _, offset in file.part(from: offset - 1) },
                Answer(testDescription: "one byte late") { _, offset in file.part(from: offset + 1) },
                Answer(testDescription: "two ranges") { _, offset in
                    part(offset, ["Content-Range": "bytes 0-1/200000"])
                },
                Answer(testDescription: "nothing there any more", body: changed.body) { _, _ in
                    .response(status: 416, headers: ["Content-Range": "bytes */50000", "ETag": "\"two\""])
                },
                Answer(testDescription: "nothing there, without saying why") { _, _ in .response(status: 416) },
            ]

            private static func fields(_ offset: Int) -> WireFields {
                ["ETag": "\"one\"", "Content-Range": "bytes \(offset)-199999/200000"]
            }

            private static func part(_ offset: Int, _ more: WireFields) -> Reply {
                let headers = WireFields((fields(offset).fields + more.fields).map { ($0.name, $0.value) })
                return .response(status: 206, headers: headers, body: file.body.dropFirst(offset))
            }

            /// Interrupts the first request, answers range requests, and answers any other request with the version
            /// of `body`.
            var script: TestServer.Script {
                let head = file.whole.bytes.count - file.body.count
                let half = file.whole.cut(afterByteCount: head + firstByteCount, then: .stall)
                return { request in
                    if request.connection == 1 { return half }
                    if let offset = Representation.offset(of: request) { return reply(request, offset) }
                    return body == file.body ? file.whole : changed.whole
                }
            }
        }

        /// Starts an operation, pauses it when the first bytes have arrived, and resumes it once the connection is
        /// closed.
        private func interrupt(_ operation: RequestOperation, _ server: TestServer) async {
            let received = Gate()
            operation.onDownloadProgress = { _, total, _ in if total > 0 { received.open() } }
            operation.start()
            await received.wait()
            operation.pause()
            await server.waitForConnectionsToClose()
            operation.resume()
        }

        @Test(arguments: Answer.all) func bodyInMemoryIsExactAfterAFaultyResumption(answer: Answer) async throws {
            try await TestServer.serving(script: answer.script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await interrupt(operation, server)
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseData == answer.body)
                #expect(operation.receivedByteCount == Int64(answer.body.count))
            }
        }

        @Test(arguments: Answer.all) func bodyInAFileIsExactAfterAFaultyResumption(answer: Answer) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: answer.script) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                await interrupt(operation, server)
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(folder.contents == answer.body)
                #expect(folder.names == ["file"])
            }
        }

        @Test(arguments: Answer.all) func chunksAreNeverWrongAfterAFaultyResumption(answer: Answer) async throws {
            try await TestServer.serving(script: answer.script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks(bufferByteCount: 1 << 20)
                await interrupt(operation, server)
                var received = Data()
                do {
                    for try await chunk in chunks { received += chunk }
                    #expect(answer.isRest)
                    #expect(received == Self.file.body)
                } catch let error as NetworkingError {
                    #expect(!answer.isRest)
                    #expect(error.code == .resumeRefused)
                    #expect(Self.file.body.starts(with: received))
                }
                #expect((operation.error == nil) == answer.isRest)
            }
        }

        @Test(arguments: Answer.all) func outputStreamIsNeverWrongAfterAFaultyResumption(answer: Answer) async throws {
            try await TestServer.serving(script: answer.script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let stream = OutputStream.toMemory()
                operation.outputStream = stream
                await interrupt(operation, server)
                try await operation.waitUntilEnded()
                #expect(operation.code == (answer.isRest ? nil : .resumeRefused))
                let handedBack = try #require(operation.outputStream)
                let written = handedBack.property(forKey: .dataWrittenToMemoryStreamKey) as? Data ?? Data()
                #expect(answer.isRest ? written == Self.file.body : Self.file.body.starts(with: written))
            }
        }

        // MARK: - Dates

        /// The age of the last modification, and whether that age makes the date a validator (RFC 9110, 8.8.2.2).
        @Test(
            arguments: [(-1, false), (0, false), (1, true), (2, true), (86_400, true), (nil, false)] as [(Int?, Bool)])
        func oldEnoughDateIsAValidator(age: Int?, isStrong: Bool) async throws {
            let body = Self.file.body
            let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
            let dates = [-1: "08:49:36", 0: "08:49:37", 1: "08:49:38", 2: "08:49:39", 86_400: "08:49:37"]
            var fields: WireFields = ["Last-Modified": modified]
            if let age, let time = dates[age] {
                fields.fields.append(
                    .dated(age == 86_400 ? "Mon, 07 Nov 1994 \(time) GMT" : "Sun, 06 Nov 1994 \(time) GMT"))
            }
            let whole = Reply.response(headers: fields, body: body)
            let half = whole.cut(afterByteCount: whole.bytes.count - 100_000, then: .stall)
            let script: TestServer.Script = { [fields] request in
                if request.connection == 1 { return half }
                guard let offset = Representation.offset(of: request), request.headers["If-Range"] == modified else {
                    return whole
                }
                var headers = fields
                headers.fields += (["Content-Range": "bytes \(offset)-199999/200000"] as WireFields).fields
                return .response(status: 206, headers: headers, body: body.dropFirst(offset))
            }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await interrupt(operation, server)
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseData == body)
                #expect((server.requests.last?.headers["If-Range"] != nil) == isStrong)
            }
        }
    }
}

extension WireFields.Field {
    fileprivate static func dated(_ value: String) -> Self { WireFields([("Date", value)]).fields[0] }
}
