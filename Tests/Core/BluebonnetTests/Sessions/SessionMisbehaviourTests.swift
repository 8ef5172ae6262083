// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Servers that misbehave. A task ends once, with its error, after its blocks in their order, and leaves nothing.
    @Suite struct SessionMisbehaviourTests {
        /// A server's fault in place of a good response.
        struct Fault: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: Reply
            let code: NetworkingError.Code
            /// Whether a complete head arrives.
            var hasHead = false

            private static let whole = Reply.response(headers: ["Content-Type": "application/json"], body: "[1,2,3]")
            private static let chunked = Reply.chunked(chunks: ["[1,", "2]"])

            private static func raw(_ text: String) -> Reply { Reply.raw(text).then(.close) }

            static let all = [
                Fault(testDescription: "no answer", reply: .stall, code: .timedOut),
                Fault(
                    testDescription: "half a head", reply: whole.cut(afterByteCount: 20, then: .stall), code: .timedOut),
                Fault(
                    testDescription: "half a body",
                    reply: whole.cut(afterByteCount: whole.bytes.count - 3, then: .stall),
                    code: .timedOut, hasHead: true),
                Fault(testDescription: "no response", reply: raw("SSH-2.0-OpenSSH\r\n"), code: .badServerResponse),
                Fault(
                    testDescription: "a field without a colon", reply: raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
                    code: .badServerResponse),
                Fault(
                    testDescription: "two lengths",
                    reply: raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]"),
                    code: .badServerResponse),
                Fault(testDescription: "a close", reply: .close, code: .connectionLost),
                Fault(testDescription: "a reset", reply: .reset, code: .connectionLost),
                Fault(
                    testDescription: "a truncated body", reply: whole.cut(afterByteCount: whole.bytes.count - 1),
                    code: .badServerResponse, hasHead: true),
                Fault(
                    testDescription: "truncated chunks", reply: chunked.cut(afterByteCount: chunked.bytes.count - 5),
                    code: .badServerResponse, hasHead: true),
                Fault(
                    testDescription: "a broken chunk",
                    reply: raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n"),
                    code: .badServerResponse, hasHead: true),
            ]
        }

        private func session(_ folder: ScratchFolder) -> SessionManager {
            var configuration = SessionConfiguration()
            configuration.downloadDirectory = folder.url
            configuration.transferOptions.timeouts.idle = .milliseconds(200)
            return SessionManager(configuration: configuration)
        }

        @Test(arguments: Fault.all)
        func faultyServerEndsTheTaskOnceWithItsError(fault: Fault) async throws {
            try await TestServer.answering(fault.reply) { server in
                for (kind, disposition) in [
                    (SessionTask.Kind.data, SessionTask.ResponseDisposition.allow), (.data, .becomeDownload),
                    (.upload, .allow), (.download, .allow),
                ] {
                    let folder = try ScratchFolder()
                    let recorder = SessionRecorder(
                        session(folder),
                        SessionRecorder.Answers(disposition: disposition, target: folder.file("of the session")))
                    let task =
                        switch kind {
                        case .data: recorder.dataTask(URLRequest(url: server.url()))
                        case .upload: recorder.uploadTask(URLRequest("POST", server.url()), "body")
                        case .download: recorder.downloadTask(URLRequest(url: server.url()), to: folder.file("got"))
                        }
                    _ = await task.ran()
                    let (code, what) = (fault.code.rawValue, "\(kind) \(disposition)")
                    #expect(task.error?.code == fault.code, "\(what)")
                    #expect(task.state == .completed)
                    #expect((task.response != nil) == fault.hasHead, "\(what)")
                    #expect(
                        recorder.order.suffix(4) == [
                            "metrics", "completed \(code)", "handler \(code)", "posted task.complete",
                        ], "\(what)")
                    let decisions = recorder.order.filter { ["response", "became"].contains($0) }
                    let isAsked = fault.hasHead && kind != .download
                    #expect(
                        decisions == (isAsked ? ["response"] + (disposition == .allow ? [] : ["became"]) : []),
                        "\(what)")
                    #expect(!recorder.order.contains { $0.hasPrefix("finished") || $0 == "destination" }, "\(what)")
                    #expect(folder.names == [], "\(what)")
                    #expect(recorder.session.tasks.isEmpty)
                }
            }
        }

        @Test(arguments: ["data", "file", "stream"])
        func resetUploadFailsBeforeItsProgressEnds(source: String) async throws {
            let folder = try ScratchFolder()
            let body = Data(count: 16_000_000)
            try body.write(to: folder.file("body"))
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.reset, options) { server in
                let session = session(folder)
                let (fractions, codes) = (Observed([0.0]), Observed([String]()))
                let progress: SessionTask.ProgressBlock = { fractions.append($0.fractionCompleted) }
                let handler: SessionTask.DataCompletion = { response, object, error in
                    codes.append("\(error?.code.rawValue ?? "well") \(response == nil && object == nil)")
                }
                var request = URLRequest("POST", server.url())
                let task: SessionTask
                switch source {
                case "data":
                    task = session.uploadTask(with: request, from: body, progress: progress, completionHandler: handler)
                case "file":
                    task = session.uploadTask(
                        with: request, fromFile: folder.file("body"), progress: progress, completionHandler: handler)
                default:
                    request.httpBodyStream = InputStream(data: body)
                    task = session.uploadTask(
                        withStreamedRequest: request, progress: progress, completionHandler: handler)
                }
                _ = await task.ran()
                #expect(codes.value == ["connectionLost true"])
                #expect(fractions.value.allSatisfy { $0 < 1 })
                #expect(task.countOfBytesSent < 16_000_000)
            }
        }

        /// The body breaks off after its task has become a download. The part is kept and continued.
        @Test func convertedDownloadContinuesFromItsResumeData() async throws {
            let folder = try ScratchFolder()
            let representation = Representation(body: .patterned(byteCount: 300_000), etag: "\"one\"")
            let script: TestServer.Script = { request in
                let answer = representation.answer(to: request)
                let isRest = Representation.offset(of: request) != nil
                return isRest ? answer : answer.cut(afterByteCount: answer.bytes.count / 2, then: .close)
            }
            try await TestServer.serving(script: script) { server in
                let session = session(folder)
                session.blocks.dataTaskDidReceiveResponse = { _, _ in .becomeDownload }
                let task = await session.dataTask(with: URLRequest(url: server.url("/file"))).ran()
                #expect(task.error?.code == .badServerResponse)
                #expect(task.kind == .download)
                let offsets = Observed([Int64]())
                session.blocks.downloadTaskDidResume = { _, offset, _ in offsets.append(offset) }
                let response = try await session.download(
                    resumeFrom: try #require(task.resumeData), destination: { _, _ in folder.file("got") })
                #expect(try Data(contentsOf: response.value) == representation.body)
                #expect(offsets.value.count == 1 && offsets.value.allSatisfy { $0 > 100_000 })
                #expect(folder.names == ["got"])
            }
        }

        @Test func totalLimitOfTheSessionEndsADrippingDownload() async throws {
            let folder = try ScratchFolder()
            let reply = Reply.response(body: Data(count: 5000)).dripping(chunk: 10, every: .milliseconds(5))
            try await TestServer.answering(reply) { server in
                let session = session(folder)
                session.operationManager.transferOptions.timeouts.total = .milliseconds(250)
                let task = await session.downloadTask(with: URLRequest(url: server.url())).ran()
                #expect(task.error?.code == .timedOut && task.error?.timeLimit == .total)
                #expect(folder.names == [])
            }
        }

        /// A silent server has no effect on the session's tasks for other servers.
        @Test func stuckTasksDoNotAffectOtherTasks() async throws {
            let folder = try ScratchFolder()
            try await TestServer.answering(.stall) { silent in
                try await TestServer.answering(
                    .response(headers: ["Content-Type": "application/json"], body: "[]")
                ) { server in
                    let session = session(folder)
                    session.operationManager.transferOptions.timeouts.idle = .zero
                    let stuck = (0..<10).map { _ in session.dataTask(with: URLRequest(url: silent.url())) }
                    for task in stuck { task.resume() }
                    for _ in 0..<10 { _ = try await session.data(for: URLRequest(url: server.url())) }
                    #expect(stuck.allSatisfy { $0.state == .running })
                    #expect(session.tasks.map(\.taskIdentifier) == Array(1...10))
                    session.invalidate(cancelPendingTasks: true)
                    for task in stuck { await task.ends() }
                    #expect(stuck.allSatisfy { $0.error?.code == .cancelled })
                }
            }
        }
    }
}
