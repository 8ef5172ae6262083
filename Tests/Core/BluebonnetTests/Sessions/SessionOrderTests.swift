// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The order and the queue of every block, handler and notification, with and without a completion queue. The
/// recorder reports a callback that comes on another queue than the documentation of sessions promises.
@Suite(.timeLimit(.minutes(1))) struct SessionOrderTests {
    private static let json = ["Content-Type": "application/json", "Content-Length": "2"]

    /// A task, the network's answers, and the callbacks expected between the task's first resume and its end.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var scripts: [[ScriptedStep]]
        var change: @Sendable (inout SessionConfiguration) -> Void = { _ in }
        var answers = SessionRecorder.Answers()
        let make: @Sendable (SessionRecorder, ScriptedNetwork, ScratchFolder) -> SessionTask
        let order: [String]
        var end = "well"

        static let whole: [ScriptedStep] = [.head(200, json), .body("[]")]

        static let all = [
            Course(
                testDescription: "data", scripts: [whole], make: { $0.make(.data, $1, $2) },
                order: ["response", "data", "down"]),
            Course(
                testDescription: "data behind a redirect", scripts: [[.head(302, ["Location": "/b"])]],
                make: { $0.make(.data, $1, $2) }, order: ["redirect", "response", "data", "down"]),
            Course(
                testDescription: "data behind a challenge",
                scripts: [[.head(401, ["WWW-Authenticate": "Basic realm=\"r\"", "Content-Length": "0"])], whole],
                answers: SessionRecorder.Answers(
                    challenge: .useCredential(URLCredential(user: "u", password: "p", persistence: .none))),
                make: { $0.make(.data, $1, $2) }, order: ["challenge", "response", "data", "down"]),
            Course(
                testDescription: "data for a cache",
                scripts: [[.head(200, json.merging(["Cache-Control": "max-age=60"]) { $1 }), .body("[]")]],
                change: { $0.responseCache = InMemoryResponseCache() }, make: { $0.make(.data, $1, $2) },
                order: ["response", "data", "down", "cache"]),
            Course(
                testDescription: "data with a refused status", scripts: [[.head(500, json), .body("[]")]],
                make: { $0.make(.data, $1, $2) }, order: ["response", "data", "down"], end: "unacceptableStatus"),
            Course(
                testDescription: "data that is no JSON", scripts: [[.head(200, json), .body("no")]],
                make: { $0.make(.data, $1, $2) }, order: ["response", "data", "down"], end: "cannotParseResponse"),
            Course(
                testDescription: "data that the block does not want", scripts: [whole],
                answers: SessionRecorder.Answers(disposition: .cancel), make: { $0.make(.data, $1, $2) },
                order: ["response"], end: "cancelled"),
            Course(
                testDescription: "upload", scripts: [[.sent(4)] + whole], make: { $0.make(.upload, $1, $2) },
                order: ["sent", "up", "response", "data"]),
            Course(
                testDescription: "download", scripts: [whole], make: { $0.make(.download, $1, $2) },
                order: [
                    "wrote", "down", "finished running", "destination", "posted session.download.file-manager-succeed",
                ]),
            Course(
                testDescription: "download to where a file is", scripts: [whole],
                make: { recorder, network, folder in
                    try? folder.write("mine", to: "got")
                    return recorder.make(.download, network, folder)
                },
                order: [
                    "wrote", "down", "finished running", "destination", "posted session.download.file-manager-error",
                ], end: "cannotWriteFile"),
            Course(
                testDescription: "download of what is not there", scripts: [[.head(404, json), .body("[]")]],
                make: { $0.make(.download, $1, $2) }, order: ["wrote", "down"], end: "unacceptableStatus"),
            Course(
                testDescription: "data that becomes a download", scripts: [whole],
                answers: SessionRecorder.Answers(disposition: .becomeDownload), make: { $0.make(.data, $1, $2) },
                order: ["response", "became", "wrote", "down", "finished running"]),
            Course(
                testDescription: "upload whose answer becomes a download", scripts: [[.sent(4)] + whole],
                answers: SessionRecorder.Answers(disposition: .becomeDownload), make: { $0.make(.upload, $1, $2) },
                order: ["sent", "up", "response", "became", "wrote", "finished running"]),
        ]
    }

    @Test(arguments: Course.all, [false, true])
    func callbacksComeInOrderOnTheirQueues(course: Course, hasCompletionQueue: Bool) async throws {
        let (network, folder) = (ScriptedNetwork(), try ScratchFolder())
        network.answer("/a", inTurn: course.scripts)
        network.answer("/b", with: Course.whole)
        let session = network.session {
            $0.downloadDirectory = folder.url
            course.change(&$0)
        }
        let recorder = SessionRecorder(session, hasCompletionQueue: hasCompletionQueue, course.answers)
        course.make(recorder, network, folder).resume()
        await recorder.sees("posted task.complete")
        session.invalidate(cancelPendingTasks: false)
        await recorder.sees("posted session.invalidate")
        #expect(
            recorder.kept(
                ["posted task.resume"] + course.order + [
                    "metrics", "completed \(course.end)", "handler \(course.end)", "posted task.complete", "invalid",
                    "posted session.invalidate",
                ]), "\(recorder.order)")
    }

    @Test(arguments: [false, true])
    func taskCancelledBeforeItsStartReportsOnlyItsEnd(hasCompletionQueue: Bool) async throws {
        let (network, folder) = (ScriptedNetwork(), try ScratchFolder())
        for kind in [SessionTask.Kind.data, .upload, .download] {
            let recorder = SessionRecorder(network.session(), hasCompletionQueue: hasCompletionQueue)
            recorder.make(kind, network, folder).cancel()
            await recorder.sees("posted task.complete")
            #expect(
                recorder.kept(["metrics", "completed cancelled", "handler cancelled", "posted task.complete"]),
                "\(recorder.order)")
        }
    }

    @Test(arguments: [false, true])
    func suspensionIsReportedBetweenTheResumptions(hasCompletionQueue: Bool) async throws {
        let (network, gate) = (ScriptedNetwork(), Gate())
        network.answer("/a", with: [.sent(4), .wait(gate)] + Course.whole)
        let recorder = SessionRecorder(network.session(), hasCompletionQueue: hasCompletionQueue)
        let task = recorder.make(.upload, network, try ScratchFolder())
        task.resume()
        await recorder.sees("up")
        task.suspend()
        await network.log.sees(.paused(1))
        task.resume()
        gate.open()
        await recorder.sees("posted task.complete")
        #expect(
            recorder.kept([
                "posted task.resume", "sent", "up", "posted task.suspend", "posted task.resume", "response", "data",
                "metrics", "completed well", "handler well", "posted task.complete",
            ]), "\(recorder.order)")
    }

    @Test(arguments: [false, true])
    func continuedDownloadReportsItsContinuation(hasCompletionQueue: Bool) async throws {
        let (network, folder, gate) = (ScriptedNetwork(), try ScratchFolder(), Gate())
        let (body, reached) = (Data.patterned(byteCount: 200_000), Observed(0))
        let range = ["ETag": "\"1\"", "Content-Range": "bytes 100000-199999/200000"]
        network.answer(
            "/a",
            inTurn: [
                [
                    .head(200, ["ETag": "\"1\"", "Content-Length": "200000"]), .bytes(body.prefix(100_000)),
                    .reach(reached), .wait(gate),
                ],
                [.head(206, range), .bytes(body.dropFirst(100_000))],
            ])
        let session = network.session { $0.downloadDirectory = folder.url }
        let first = session.downloadTask(with: network.request("/a"))
        first.resume()
        await reached.becomes(1)
        let data = try #require(await first.cancelByProducingResumeData())
        let recorder = SessionRecorder(session, hasCompletionQueue: hasCompletionQueue)
        recorder.downloadTask(resuming: data, to: folder.file("got")).resume()
        await recorder.sees("posted task.complete")
        #expect(
            recorder.kept([
                "posted task.resume", "continued", "wrote", "down", "finished running", "destination",
                "posted session.download.file-manager-succeed", "metrics", "completed well", "handler well",
                "posted task.complete",
            ]), "\(recorder.order)")
        #expect(try Data(contentsOf: folder.file("got")) == body)
    }
}

extension NetworkTests {
    @Suite struct SessionOrderOnTheWireTests {
        @Test(arguments: [false, true])
        func serverAndBodyStreamBlocksComeFirst(hasCompletionQueue: Bool) async throws {
            var options = TestServer.Options()
            options.certificate = .localhost
            let script: TestServer.Script = { request in
                let head: WireFields = ["Content-Type": "application/json"]
                return request.path == "/first"
                    ? .response(status: 307, headers: ["Location": "/second"])
                    : .response(headers: head, body: request.body.isEmpty ? "" : "[]")
            }
            try await TestServer.serving(options, script: script) { server in
                let session = SessionManager(configuration: SessionConfiguration())
                let answers = SessionRecorder.Answers(server: .accept)
                let recorder = SessionRecorder(session, hasCompletionQueue: hasCompletionQueue, answers)
                var request = URLRequest("POST", server.url("/first"))
                request.httpBodyStream = InputStream(data: Data("body".utf8))
                recorder.streamedUploadTask(request).resume()
                await recorder.sees("posted task.complete")
                let order = recorder.order
                let ofBytes: Set = ["sent", "up"]
                #expect(ofBytes.isSubset(of: order))
                let wanted = [
                    "posted task.resume", "server", "redirect", "stream", "response", "data", "metrics",
                    "completed well", "handler well", "posted task.complete",
                ]
                #expect(SessionRecorder.kept(wanted, in: order.filter { !ofBytes.contains($0) }), "\(order)")
            }
        }
    }
}

extension SessionRecorder {
    /// Makes a task for "/a": an upload of four bytes, a download to "got".
    fileprivate func make(_ kind: SessionTask.Kind, _ network: ScriptedNetwork, _ folder: ScratchFolder) -> SessionTask
    {
        switch kind {
        case .data: dataTask(network.request("/a"))
        case .upload: uploadTask(network.request("/a", method: "POST"), "body")
        case .download: downloadTask(network.request("/a"), to: folder.file("got"))
        }
    }
}
