// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The move of a complete download to its destination. A test can stop the queues that move files, as a slow file
/// system would.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionMoveTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())
    private let folder: ScratchFolder
    private let session: SessionManager

    init() throws {
        let folder = try ScratchFolder()
        self.folder = folder
        session = network.session { $0.downloadDirectory = folder.url }
        network.answer("/file", with: [.head(200), .body("the file")])
        network.answer("/json", with: [.head(200, ["Content-Type": "application/json"]), .body("[]")])
    }

    /// Runs `body` while no file is moved.
    private func whileNothingIsMoved(_ body: () async -> Void) async {
        for queue in Queues.moving.queues { queue.suspend() }
        await body()
        for queue in Queues.moving.queues { queue.resume() }
    }

    /// A download whose destination is `name` in the folder. Opens `asked` when the destination is requested.
    private func download(to name: String, asked: Gate, _ path: String = "/file") -> SessionTask {
        let target = folder.file(name)
        let place: SessionTask.Destination = { _, _ in
            asked.open()
            return target
        }
        return session.downloadTask(with: network.request(path), destination: place) { [seen] _, file, error in
            seen.append(file?.lastPathComponent ?? error?.code.rawValue ?? "")
        }
    }

    @Test func slowMoveDelaysNoOtherTaskOfTheSession() async {
        let asked = Gate()
        let task = download(to: "got", asked: asked)
        await whileNothingIsMoved {
            task.resume()
            await asked.wait()
            let other = session.dataTask(with: network.request("/json")) { [seen] _, _, _ in seen.append("other") }
            _ = await other.ran()
            #expect(other.state == .completed)
        }
        await task.ends()
        #expect(seen.value == ["other", "got"])
    }

    @Test(arguments: ["got", "taken"])
    func taskIsNotCompletedBeforeItsFileIsMoved(name: String) async throws {
        try folder.write("mine", to: "taken")
        let asked = Gate()
        let task = download(to: name, asked: asked)
        let mayBegin = Gate()
        let waiting = Task {
            await mayBegin.wait()
            return try await task.run().value as? URL
        }
        await whileNothingIsMoved {
            mayBegin.open()
            await asked.wait()
            await session.delegateQueue.catchesUp()
            #expect(task.state == .running)
            #expect(task.downloadedFile == nil && task.error == nil)
            #expect(session.downloadTasks.first === task)
            #expect(!task.operation.isFinished)
            #expect(seen.value == [])
        }
        let file = try? await waiting.value
        #expect(task.state == .completed)
        #expect(file == (name == "got" ? folder.file("got") : nil))
        #expect(task.error?.code == (name == "got" ? nil : .cannotWriteFile))
        #expect(task.error?.request?.url?.path == (name == "got" ? nil : "/file"))
        await task.ends()
        #expect(seen.value == [name == "got" ? "got" : "cannotWriteFile"])
        #expect(folder.names == (name == "got" ? ["got", "taken"] : ["taken"]))
    }

    /// A thread that sees a completed task also finds the file, however early it looks.
    @Test func completedTaskAlwaysHasItsFile() async throws {
        for round in 0..<50 {
            let target = folder.file("\(round)")
            let task = session.downloadTask(with: network.request("/file"), destination: { _, _ in target })
            let watcher = Task {
                while task.state != .completed { await Task.yield() }
                return FileManager.default.fileExists(atPath: target.path) && task.downloadedFile == target
            }
            task.resume()
            #expect(await watcher.value)
        }
    }

    @Test func dependentFindsTheMovedFile() async {
        let task = download(to: "got", asked: Gate())
        let dependent = session.dataTask(with: network.request("/json"))
        dependent.operation.addDependency(task.operation)
        network.answer("/json") { [folder, seen] _ in
            seen.append(folder.text("got") ?? "no file")
            return [.head(200, ["Content-Type": "application/json"]), .body("[]")]
        }
        dependent.resume()
        task.resume()
        await dependent.ends()
        await task.ends()
        #expect(Set(seen.value) == ["the file", "got"])
    }

    @Test func groupWaitsForTheMoveAndTheHandler() async {
        let group = DispatchGroup()
        let asked = Gate()
        let task = download(to: "got", asked: asked)
        session.completionGroup = group
        session.completionQueue = DispatchQueue(label: "test.completion")
        await whileNothingIsMoved {
            task.resume()
            await asked.wait()
        }
        await task.operation.ends()
        await group.empties()
        #expect(seen.value == ["got"])
    }

    @Test func cancellationDuringTheMoveIsTooLate() async {
        let asked = Gate()
        let task = download(to: "got", asked: asked)
        await whileNothingIsMoved {
            task.resume()
            await asked.wait()
            task.cancel()
            task.suspend()
            #expect(task.state == .canceling)
        }
        await task.ends()
        #expect(task.error == nil && task.downloadedFile == folder.file("got"))
        #expect(folder.text("got") == "the file")
    }

    @Test func fileIsCopiedFromOneFileSystemToAnother() async throws {
        let target = URL(fileURLWithPath: "/dev/shm/bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let task = await session.downloadTask(with: network.request("/file"), destination: { _, _ in target }).ran()
        #expect(task.downloadedFile == target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "the file")
        #expect(folder.names == [])
    }

    @Test func copyOfAnOperationHasNoDestination() async {
        let task = await download(to: "got", asked: Gate()).ran()
        let copy = task.operation.copied()
        session.operationManager.enqueue(copy)
        await copy.ends()
        #expect(copy.error == nil && copy.downloadedFile?.lastPathComponent != "got")
    }
}

/// The conditions under which a part of a body continues a download.
@Suite(.timeLimit(.minutes(1))) struct SessionContinuationTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())

    struct Part: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The request's own `Range`.
        var range: String?
        let head: [String: String]
        var code: NetworkingError.Code?
    }

    @Test(arguments: [
        Part(
            testDescription: "that the request asks for", range: "bytes=2-3",
            head: ["Content-Range": "bytes 2-3/4", "Content-Length": "2"]),
        Part(
            testDescription: "that nobody asked for", head: ["Content-Range": "bytes 2-3/4", "Content-Length": "2"],
            code: .badServerResponse),
    ])
    func partWithoutResumeDataIsNoContinuation(part: Part) async throws {
        let folder = try ScratchFolder()
        network.answer("/a", with: [.head(206, part.head), .body("cd")])
        let session = network.session { $0.downloadDirectory = folder.url }
        session.blocks.downloadTaskDidResume = { [seen] _, _, _ in seen.append("continued") }
        var request = network.request("/a")
        if let range = part.range { request.setValue(range, forHTTPHeaderField: "Range") }
        let task = await session.downloadTask(with: request).ran()
        #expect(task.error?.code == part.code)
        #expect(seen.value == [])
    }
}
