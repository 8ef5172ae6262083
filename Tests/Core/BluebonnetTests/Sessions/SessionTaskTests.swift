// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct SessionTaskTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())
    private let gate = Gate()

    init() {
        network.answer("/json", with: [.head(200, ["Content-Type": "application/json"]), .body("{\"a\":1}")])
        network.answer("/held", with: [.head(200, ["Content-Type": "application/json"]), .wait(gate), .body("[]")])
        network.answer("/missing", with: [.head(404, ["Content-Type": "application/json"]), .body("{}")])
    }

    @Test func taskIsSuspendedUntilItIsResumed() async {
        let task = network.session().dataTask(with: network.request("/json"))
        #expect(task.state == .suspended)
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.isEmpty)
        _ = await task.ran()
        #expect(task.state == .completed)
        #expect(network.log.requests.count == 1)
    }

    @Test func dataTaskReturnsTheSerializedResponse() async {
        let session = network.session()
        let task = session.dataTask(with: network.request("/json")) { [seen] response, object, error in
            seen.append("\(response?.statusCode ?? 0) \((object as? JSONValue)?["a"]?.integer ?? 0) \(error == nil)")
        }
        _ = await task.ran()
        #expect(seen.value == ["200 1 true"])
        #expect(task.countOfBytesReceived == 7)
        #expect(task.response?.statusCode == 200)
    }

    @Test func refusedStatusIsAnErrorWithoutAnObject() async {
        let session = network.session()
        let task = session.dataTask(with: network.request("/missing")) { [seen] response, object, error in
            seen.append("\(response?.statusCode ?? 0) \(object == nil) \(error?.code.rawValue ?? "")")
        }
        _ = await task.ran()
        #expect(seen.value == ["404 true unacceptableStatus"])
        #expect(task.error?.body == Data("{}".utf8))
    }

    @Test func suspendedTaskContinuesOnItsConnection() async {
        let session = network.session()
        let task = session.uploadTask(with: network.request("/held", method: "POST"), from: Data("x".utf8))
        task.resume()
        await network.log.sees(.begun(1))
        #expect(task.state == .running)
        task.suspend()
        #expect(task.state == .suspended)
        await network.log.sees(.paused(1))
        task.resume()
        #expect(task.state == .running)
        gate.open()
        await task.ends()
        #expect(task.error == nil)
        #expect(network.log.requests.count == 1)
    }

    @Test func taskThatWasNotResumedCannotBeSuspended() async {
        let task = network.session().dataTask(with: network.request("/json"))
        task.suspend()
        #expect(await task.ran().error == nil)
    }

    @Test(arguments: [false, true])
    func cancelledTaskEndsOnceInAnyState(isResumed: Bool) async {
        let session = network.session()
        let task = session.dataTask(with: network.request("/held")) { [seen] response, object, error in
            seen.append("\(error?.code.rawValue ?? "")")
        }
        if isResumed {
            task.resume()
            await network.log.sees(.begun(1))
        }
        task.cancel()
        task.cancel()
        #expect([.canceling, .completed].contains(task.state))
        await task.ends()
        task.resume()
        #expect(task.state == .completed)
        #expect(seen.value == ["cancelled"])
        #expect(network.log.requests.count == (isResumed ? 1 : 0))
    }

    @Test func cancellingASuspendedTaskEndsIt() async {
        let task = network.session().dataTask(with: network.request("/held"))
        task.resume()
        await network.log.sees(.begun(1))
        task.suspend()
        task.cancel()
        await task.ends()
        #expect(task.error?.code == .cancelled)
    }

    @Test func tasksAreListedByKindUntilCompleted() async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        let idle = session.dataTask(with: network.request("/held"))
        let running = session.dataTask(with: network.request("/held"))
        let suspended = session.uploadTask(with: network.request("/held", method: "POST"), from: Data("x".utf8))
        let download = session.downloadTask(with: network.request("/held"))
        running.resume()
        suspended.resume()
        suspended.suspend()
        download.resume()
        #expect(session.tasks.map(\.taskIdentifier) == [1, 2, 3, 4])
        #expect(session.tasks.map(\.state) == [.suspended, .running, .suspended, .running])
        #expect(session.dataTasks.map(\.taskIdentifier) == [1, 2])
        #expect(session.uploadTasks.first === suspended)
        #expect(session.downloadTasks.first === download)
        gate.open()
        for task in [running, download] { await task.ends() }
        idle.cancel()
        await idle.ends()
        #expect(session.tasks.map(\.taskIdentifier) == [3])
        suspended.cancel()
        await suspended.ends()
        #expect(session.tasks.isEmpty)
    }

    @Test func tasksMayBeListedFromASessionBlock() async {
        let session = network.session()
        session.blocks.taskDidComplete = { [seen, weak session] _, _ in seen.append("\(session?.tasks.count ?? -1)") }
        _ = await session.dataTask(with: network.request("/json")).ran()
        #expect(seen.value == ["0"])
    }

    @Test func completionQueueAndGroupAreUsed() async {
        let session = network.session()
        let queue = DispatchQueue(label: "test.completion")
        let (mark, delegate) = (QueueMark(queue, "mine"), QueueMark(session.delegateQueue, "delegate"))
        let group = DispatchGroup()
        session.completionQueue = queue
        session.completionGroup = group
        let handler: SessionTask.DataCompletion = { [seen] _, _, _ in
            seen.append("mine \(mark.isHere) delegate \(delegate.isHere)")
        }
        let tasks = (0..<3).map { _ in session.dataTask(with: network.request("/json"), completionHandler: handler) }
        for task in tasks { task.resume() }
        for task in tasks { await task.operation.ends() }
        await group.empties()
        #expect(seen.value == Array(repeating: "mine true delegate false", count: 3))
        session.completionQueue = nil
        _ = await session.dataTask(with: network.request("/json"), completionHandler: handler).ran()
        #expect(seen.value.last == "mine false delegate true")
    }

    @Test func progressBlocksReachTheEndOnTheDelegateQueue() async {
        network.answer(
            "/p",
            with: [
                .sent(2), .sent(1), .head(200, ["Content-Length": "5", "Content-Type": "application/json"]),
                .body("[1"), .body(",2]"),
            ])
        let session = network.session()
        let mark = QueueMark(session.delegateQueue, "delegate")
        session.responseSerializer = HTTPResponseSerializer()
        let task = session.dataTask(
            with: network.request("/p", method: "POST", body: "123"),
            uploadProgress: { [seen] in seen.append("up \($0.completedUnitCount)/\($0.totalUnitCount) \(mark.isHere)")
            },
            downloadProgress: { [seen] in
                seen.append("down \($0.completedUnitCount)/\($0.totalUnitCount) \(mark.isHere)")
            },
            completionHandler: { [seen] _, _, _ in seen.append("end") })
        _ = await task.ran()
        #expect(seen.value.filter { $0.hasPrefix("up") } == ["up 2/3 true", "up 3/3 true"])
        #expect(seen.value.filter { $0.hasPrefix("down") } == ["down 2/5 true", "down 5/5 true"])
        #expect(seen.value.last == "end")
        #expect(task.countOfBytesSent == 3 && task.countOfBytesExpectedToSend == 3)
    }

    @Test func progressOfUnknownLengthIsCompletedAtTheEnd() async {
        let session = network.session()
        let progress: SessionTask.ProgressBlock = { [seen] in
            seen.append("\($0.completedUnitCount)/\($0.totalUnitCount) \($0.fractionCompleted)")
        }
        _ = await session.dataTask(with: network.request("/json"), downloadProgress: progress, completionHandler: nil)
            .ran()
        #expect(seen.value == ["7/-1 0.0", "7/7 1.0"])
    }

    /// The test reads both after the task has ended. The request is created only when the task starts.
    @Test func endedTaskKeepsItsRequestAndProgress() async {
        let head = ["Content-Length": "5", "Content-Type": "application/json"]
        network.answer("/p", with: [.sent(7), .head(200, head), .body("[1,2]")])
        let task = HTTPSessionManager(network.session()).dataTask("POST", "p", body: .json(["a": 1]))
        #expect(task.originalRequest == nil)
        task.resume()
        await task.ends()
        #expect(task.originalRequest?.httpMethod == "POST" && task.originalRequest?.url?.path == "/p")
        #expect(task.uploadProgress.completedUnitCount == 7 && task.uploadProgress.fractionCompleted == 1)
        #expect(task.downloadProgress.completedUnitCount == 5 && task.downloadProgress.fractionCompleted == 1)
    }

    @Test func progressOfAFailedDownloadIsNotComplete() async {
        network.answer("/cut", with: [.head(200, ["Content-Length": "10"]), .body("12345"), .fail(.connectionLost)])
        let task = network.session().dataTask(with: network.request("/cut"), completionHandler: nil)
        task.resume()
        await task.ends()
        #expect(task.error != nil && task.downloadProgress.fractionCompleted < 1)
    }

    @Test func progressCancelsPausesAndResumesTheTask() async {
        let task = network.session().uploadTask(
            with: network.request("/held", method: "POST"), from: Data("x".utf8))
        let progress = task.downloadProgress
        task.resume()
        progress.pause()
        await becomes(.suspended) { task.state }
        progress.resume()
        await becomes(.running) { task.state }
        progress.cancel()
        await task.ends()
        #expect(task.error?.code == .cancelled)
    }

    @Test func readingTheProgressDoesNotSuspendAResumedTask() async {
        let task = network.session().uploadTask(
            with: network.request("/held", method: "POST"), from: Data("x".utf8))
        task.resume()
        task.downloadProgress.pause()
        await becomes(.suspended) { task.state }
        task.resume()
        await becomes(.running) { task.state }
        #expect(!task.downloadProgress.isFinished && task.state == .running)
        task.cancel()
        await task.ends()
    }

    @Test func progressOfACachedResponseIsReportedAtItsEnd() async {
        network.answer(
            "/c",
            with: [
                .head(200, ["Cache-Control": "max-age=60", "Content-Type": "application/json", "Content-Length": "2"]),
                .body("[]"),
            ])
        let cache = InMemoryResponseCache()
        let session = network.session { $0.responseCache = cache }
        let progress: SessionTask.ProgressBlock = { [seen] in seen.append("\($0.fractionCompleted)") }
        for _ in 0..<2 {
            _ = await session.dataTask(with: network.request("/c"), downloadProgress: progress, completionHandler: nil)
                .ran()
        }
        #expect(network.log.requests.count == 1)
        #expect(seen.value == ["1.0", "1.0"])
    }

    @Test func taskHasDescriptionPriorityAndRequests() async {
        network.answer("/a", with: [.head(302, ["Location": "/json"])])
        let task = network.session().dataTask(with: network.request("/a"))
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        task.priority = .high
        #expect(task.taskDescription == "mine")
        #expect(task.operation.queuePriority == .high && task.priority == .high)
        _ = await task.ran()
        #expect(task.originalRequest?.url?.path == "/a")
        #expect(task.currentRequest?.url?.path == "/json")
    }

    @Test func asyncCallsReturnTheResponse() async throws {
        let session = network.session()
        let data = try await session.data(for: network.request("/json"))
        #expect((data.value as? JSONValue)?["a"]?.integer == 1)
        #expect(data.statusCode == 200)
        let sent = try await session.upload(for: network.request("/json", method: "POST"), from: Data("body".utf8))
        #expect(sent.statusCode == 200)
        let error = await #expect(throws: NetworkingError.self) {
            try await session.data(for: network.request("/missing"))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(network.log.requests.map(\.method) == ["GET", "POST", "GET"])
    }

    @Test func cancellingTheCallingTaskCancelsTheRequest() async {
        let session = network.session()
        let waiting = Task { try await session.data(for: network.request("/held")) }
        await network.log.sees(.begun(1))
        waiting.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(error?.underlying is CancellationError)
        await becomes(0) { session.tasks.count }
    }

    @Test func alreadyCancelledCallingTaskSendsNothing() async {
        let session = network.session()
        let waiting = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await session.data(for: network.request("/json"))
        }
        waiting.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(network.log.requests.isEmpty)
    }

    @Test func operationOfATaskMayHaveDependencies() async {
        let session = network.session()
        let (first, second) = (
            session.dataTask(with: network.request("/held")), session.dataTask(with: network.request("/json"))
        )
        second.operation.addDependency(first.operation)
        second.resume()
        first.resume()
        await network.log.sees(.begun(1))
        #expect(network.log.requests.map(\.url.path) == ["/held"])
        gate.open()
        await second.ends()
        #expect(network.log.requests.map(\.url.path) == ["/held", "/json"])
    }

    @Test func headerFieldsOfTheConfigurationAreAdded() async {
        let session = network.session {
            $0.headers["X-A"] = "configuration"
            $0.headers["X-B"] = "configuration"
        }
        var request = network.request("/json")
        request.setValue("request", forHTTPHeaderField: "X-B")
        _ = await session.dataTask(with: request).ran()
        let fields = network.log.requests.first?.headers ?? []
        #expect(fields.first { $0.name == "X-A" }?.value == "configuration")
        #expect(fields.first { $0.name == "X-B" }?.value == "request")
    }

    @Test func fileAndStreamAreSent() async throws {
        let folder = try ScratchFolder()
        try folder.write("from a file", to: "body")
        let session = network.session()
        let request = network.request("/json", method: "POST")
        let file = await session.uploadTask(with: request, fromFile: folder.file("body"), completionHandler: nil).ran()
        var streamed = request
        streamed.httpBodyStream = InputStream(data: Data("from a stream".utf8))
        let stream = await session.uploadTask(withStreamedRequest: streamed, completionHandler: nil).ran()
        #expect(file.error == nil && stream.error == nil)
        #expect(file.kind == .upload && stream.kind == .upload)
        let bodies = network.log.requests.map(\.body)
        #expect(bodies.contains { if case .file(let upload) = $0 { upload.byteCount == 11 } else { false } })
        #expect(bodies.contains { if case .stream = $0 { true } else { false } })
    }

    @Test(arguments: 0..<20)
    func concurrentCallsEndATaskOnce(round: Int) async {
        let session = network.session()
        let ends = Observed(0)
        let task = session.dataTask(with: network.request("/json")) { _, _, _ in ends.increment() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    switch (number + round) % 4 {
                    case 0: task.resume()
                    case 1: task.suspend()
                    case 2: task.resume()
                    default: if round % 2 == 0 { task.cancel() }
                    }
                }
            }
        }
        task.resume()
        await task.ends()
        #expect(ends.value == 1)
        #expect(task.state == .completed)
    }
}
