// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionBlocksTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())

    /// Records the text of each block, with a mark if the block is on the wrong queue.
    private func log(_ session: SessionManager) -> @Sendable (String) -> Void {
        let mark = QueueMark(session.delegateQueue, "delegate")
        return { [seen] text in seen.append(mark.isHere ? text : text + " elsewhere") }
    }

    @Test func dataTaskBlocksRunInOrderOnTheDelegateQueue() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer(
            "/b",
            with: [
                .sent(4), .head(200, ["Content-Type": "application/json", "Content-Length": "4"]), .body("[1"),
                .body(",2]"),
            ])
        let session = network.session()
        let log = log(session)
        session.blocks.taskWillPerformHTTPRedirection = { _, response, proposed in
            log("redirect \(response.statusCode) \(proposed.url?.path ?? "")")
            return proposed
        }
        session.blocks.dataTaskDidReceiveResponse = { _, response in
            log("response \(response.statusCode)")
            return .allow
        }
        session.blocks.dataTaskDidReceiveData = { _, data in log("data \(String(decoding: data, as: UTF8.self))") }
        session.blocks.taskDidFinishCollectingMetrics = { _, metrics in log("metrics \(metrics.redirectCount)") }
        session.blocks.taskDidComplete = { task, error in log("complete \(error == nil) \(task.state)") }
        session.blocks.downloadTaskDidWriteData = { _, _, _, _ in log("no download") }
        let task = session.dataTask(with: network.request("/a")) { _, _, _ in log("handler") }
        let observer = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification, object: task, queue: nil
        ) { _ in log("notification") }
        defer { NotificationCenter.default.removeObserver(observer) }
        task.resume()
        await seen.becomes { $0.last == "notification" }
        #expect(
            seen.value == [
                "redirect 302 /b", "response 200", "data [1", "data ,2]", "metrics 1", "complete true completed",
                "handler", "notification",
            ])
    }

    @Test func redirectBlockMayAcceptTheRedirectAsTheResponse() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        let session = network.session()
        session.blocks.taskWillPerformHTTPRedirection = { _, _, _ in nil }
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.response?.statusCode == 302)
        #expect(network.log.requests.count == 1)
    }

    @Test func redirectBlockMaySendAnotherRequest() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/c", with: [.head(200), .body("c")])
        let session = network.session()
        session.responseSerializer = HTTPResponseSerializer()
        session.blocks.taskWillPerformHTTPRedirection = { [network] _, _, _ in network.request("/c") }
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.response?.url?.path == "/c")
    }

    @Test func sentBytesAreReported() async {
        network.answer("/a", with: [.sent(2), .sent(3), .head(200), .body("ok")])
        let session = network.session()
        let log = log(session)
        session.blocks.taskDidSendBodyData = { _, count, total, expected in log("\(count) \(total) \(expected)") }
        let request = network.request("/a", method: "POST")
        _ = await session.uploadTask(with: request, from: Data("12345".utf8)).ran()
        #expect(seen.value == ["2 2 5", "3 5 5"])
    }

    @Test func responseBlockCanCancel() async {
        network.answer("/a", with: [.head(200), .body("x")])
        let session = network.session()
        session.blocks.dataTaskDidReceiveResponse = { _, _ in .cancel }
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.error?.code == .cancelled)
        #expect(task.response?.statusCode == 200)
    }

    @Test func dataTaskBecomesADownloadWithAllItsBytes() async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        let log = log(session)
        network.answer("/a", with: [.head(200, ["Content-Length": "4"]), .body("ab"), .body("cd")])
        session.blocks.dataTaskDidReceiveResponse = { task, _ in
            log("response \(task.kind)")
            return .becomeDownload
        }
        session.blocks.dataTaskDidBecomeDownloadTask = { task in log("became \(task.kind)") }
        session.blocks.dataTaskDidReceiveData = { _, _ in log("data") }
        session.blocks.downloadTaskDidWriteData = { _, _, total, expected in log("wrote \(total) of \(expected)") }
        session.blocks.downloadTaskDidFinishDownloading = { task, file in
            log("finished \((try? String(contentsOf: file, encoding: .utf8)) ?? "")")
            return folder.file("got")
        }
        session.blocks.taskDidComplete = { _, _ in log("complete") }
        let task = session.dataTask(with: network.request("/a")) { _, object, _ in
            log("handler \((object as? URL)?.lastPathComponent ?? "")")
        }
        _ = await task.ran()
        #expect(
            seen.value == [
                "response data", "became download", "wrote 2 of 4", "wrote 4 of 4", "finished abcd", "complete",
                "handler got",
            ])
        #expect(folder.text("got") == "abcd")
        #expect(folder.names == ["got"])
        #expect(session.downloadTasks.isEmpty)
    }

    @Test func responseDispositionSurvivesASuspension() async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        let log = log(session)
        network.answer("/a", with: [.head(200, ["Content-Length": "2"]), .body("ab")])
        session.blocks.dataTaskDidReceiveResponse = { task, _ in
            log("asked")
            task.suspend()
            return .becomeDownload
        }
        session.blocks.dataTaskDidBecomeDownloadTask = { _ in log("became") }
        let task = session.dataTask(with: network.request("/a"), completionHandler: nil)
        task.resume()
        await seen.becomes { $0.count == 2 }
        await becomes(.suspended) { task.state }
        task.resume()
        await task.ends()
        await session.delegateQueue.catchesUp()
        #expect(seen.value == ["asked", "became"])
        let file = try #require(task.downloadedFile)
        #expect(try String(contentsOf: file, encoding: .utf8) == "ab")
    }

    @Test func refusedResponseDoesNotBecomeADownload() async {
        network.answer("/a", with: [.head(500), .body("oh")])
        let session = network.session()
        session.blocks.dataTaskDidReceiveResponse = { _, _ in .becomeDownload }
        session.blocks.dataTaskDidBecomeDownloadTask = { [seen] _ in seen.append("became") }
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.error?.body == Data("oh".utf8))
        #expect(task.kind == .data)
        #expect(seen.value.isEmpty)
    }

    @Test func challengeBlockProvidesTheCredential() async {
        network.answer("/a") { request in
            let isAuthorized = request.headers.contains { $0.name == "Authorization" }
            return isAuthorized
                ? [.head(200), .body("in")] : [.head(401, ["WWW-Authenticate": "Basic realm=\"r\""]), .body("out")]
        }
        let session = network.session()
        session.responseSerializer = HTTPResponseSerializer()
        session.blocks.taskDidReceiveChallenge = { [seen] task, challenge in
            seen.append("\(task.taskIdentifier) \(challenge.realm) \(challenge.previousFailureCount)")
            return .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.error == nil)
        #expect(seen.value == ["1 r 0"])
    }

    @Test func cacheBlockRunsOnALibraryQueueBeforeCompletion() async {
        network.answer(
            "/a", with: [.head(200, ["Cache-Control": "max-age=60", "Content-Type": "application/json"]), .body("[]")])
        let cache = InMemoryResponseCache()
        let session = network.session { $0.responseCache = cache }
        let log = log(session)
        session.blocks.dataTaskDidReceiveData = { _, _ in log("data") }
        session.blocks.dataTaskWillCacheResponse = { _, proposed in
            log("cache \(proposed.data.count)")
            return proposed
        }
        session.blocks.taskDidComplete = { _, _ in log("complete") }
        _ = await session.dataTask(with: network.request("/a")).ran()
        // The library's queue does not wait for the delegate queue, which receives the data.
        #expect(seen.value.filter { $0 != "data" } == ["cache 2 elsewhere", "complete"])
        #expect(seen.value.filter { $0 != "cache 2 elsewhere" } == ["data", "complete"])
        #expect(cache.cachedResponse(for: network.request("/a")) != nil)
        _ = await session.dataTask(with: network.request("/a")).ran()
        #expect(network.log.requests.count == 1)
    }

    @Test func taskUsesTheBlocksOfItsFirstResume() async {
        network.answer("/a", with: [.head(200), .body("x")])
        let session = network.session()
        let task = session.dataTask(with: network.request("/a"))
        session.blocks.taskDidComplete = { [seen] _, _ in seen.append("set before") }
        task.resume()
        session.blocks.taskDidComplete = { [seen] _, _ in seen.append("set after") }
        await task.ends()
        #expect(seen.value == ["set before"])
    }

    @Test func downloadProgressIsReportedAsWrittenBytes() async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        network.answer("/a", with: [.head(200, ["Content-Length": "3"]), .body("ab"), .body("c")])
        let log = log(session)
        session.blocks.downloadTaskDidWriteData = { _, count, total, expected in log("\(count) \(total) \(expected)") }
        session.blocks.dataTaskDidReceiveResponse = { _, _ in
            log("no data task")
            return .allow
        }
        let task = session.downloadTask(
            with: network.request("/a"), progress: { log("progress \($0.completedUnitCount)") })
        _ = await task.ran()
        #expect(seen.value == ["2 2 3", "progress 2", "1 3 3", "progress 3"])
    }
}
