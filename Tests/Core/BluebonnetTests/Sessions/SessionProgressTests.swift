// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// Records the reports of a task's progress, in order, and whether one came on another queue than the session's.
private final class ProgressLog: Sendable {
    let counts = Observed([Int64]())
    let fraction = Observed(0.0)
    let isOnOtherQueue = Observed(false)
    private let mark: QueueMark

    init(_ session: SessionManager) { mark = QueueMark(session.delegateQueue, "delegate") }

    var block: SessionTask.ProgressBlock {
        { [self] progress in
            counts.append(progress.completedUnitCount)
            fraction.update { $0 = progress.fractionCompleted }
            if !mark.isHere { isOnOtherQueue.update { $0 = true } }
        }
    }

    /// Whether the counts rose to `count` and the fraction to 1, all on the session's queue.
    func rose(to count: Int64) -> Bool {
        let all = counts.value
        return all == all.sorted() && all.last == count && fraction.value == 1 && !isOnOtherQueue.value
    }
}

extension NetworkTests {
    /// Progress, suspension and continuation against nginx.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct SessionNginxProgressTests {
        private static let body = Data.patterned(byteCount: 1_500_000)
        private static let count = Int64(body.count)
        private let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        private var session: SessionManager {
            var configuration = SessionConfiguration()
            configuration.downloadDirectory = folder.url
            let session = SessionManager(configuration: configuration)
            session.responseSerializer = HTTPResponseSerializer()
            return session
        }

        /// Runs `body` with a server of one file.
        private func serving(_ body: (NginxServer) async throws -> Void) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            try root.write("file.bin", Self.body)
            let server = try await NginxServer.start(documentRoot: root.url)
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        @Test func progressReachesItsEndInBothDirections() async throws {
            try await serving { server in
                let session = session
                let (up, down) = (ProgressLog(session), ProgressLog(session))
                let sent = try await session.upload(
                    for: URLRequest("POST", server.url("/upload")), from: Self.body, progress: up.block)
                #expect(sent.value as? Data == Data("received".utf8))
                #expect(up.rose(to: Self.count))
                let got = try await session.data(
                    for: URLRequest(url: server.url("/file.bin")), downloadProgress: down.block)
                #expect(got.value as? Data == Self.body)
                #expect(down.rose(to: Self.count))
                try Self.body.write(to: folder.file("body"))
                let (fileUp, fileDown) = (ProgressLog(session), ProgressLog(session))
                _ = try await session.upload(
                    for: URLRequest("PUT", server.url("/upload")), fromFile: folder.file("body"),
                    progress: fileUp.block)
                #expect(fileUp.rose(to: Self.count))
                let file = try await session.download(
                    for: URLRequest(url: server.url("/file.bin")), progress: fileDown.block)
                #expect(try Data(contentsOf: file.value) == Self.body)
                #expect(fileDown.rose(to: Self.count))
            }
        }

        @Test func streamLengthIsTheDeclaredContentLength() async throws {
            try await serving { server in
                let session = session
                let up = ProgressLog(session)
                var request = URLRequest("POST", server.url("/upload"), headers: ["Content-Length": "\(Self.count)"])
                request.httpBodyStream = InputStream(data: Self.body)
                _ = try await session.upload(forStreamedRequest: request, progress: up.block)
                #expect(up.rose(to: Self.count))
            }
        }

        /// Suspends through the task and through its progress.
        @Test(arguments: [false, true], ["/tagged/file.bin", "/bare/file.bin"])
        func suspendedDownloadContinuesToTheWholeFile(throughProgress: Bool, path: String) async throws {
            try await serving { server in
                let session = session
                let log = ProgressLog(session)
                let task = session.downloadTask(
                    with: URLRequest(url: server.url(path)), progress: log.block,
                    destination: { [folder] _, _ in folder.file("got") })
                let progress = task.downloadProgress
                task.resume()
                await log.counts.becomes { ($0.last ?? 0) > 100_000 }
                if throughProgress { progress.pause() } else { task.suspend() }
                await becomes(.suspended) { task.state }
                await networkThreadAnswers()
                let countWhileSuspended = task.countOfBytesReceived
                #expect(countWhileSuspended < Self.count)
                #expect(session.downloadTasks.count == 1)
                if throughProgress { progress.resume() } else { task.resume() }
                await becomes(true) { task.state == .running || task.state == .completed }
                await task.ends()
                #expect(task.error == nil)
                let file = try Data(contentsOf: folder.file("got"))
                #expect(file == Self.body)
                #expect(log.fraction.value == 1 && progress.isFinished)
                #expect(folder.names == ["got"])
                let isContinued = path.hasPrefix("/tagged")
                #expect(task.response?.statusCode == (isContinued ? 206 : 200))
            }
        }

        @Test func cancelledProgressCancelsTheTask() async throws {
            try await serving { server in
                let session = session
                let log = ProgressLog(session)
                let task = session.downloadTask(
                    with: URLRequest(url: server.url("/tagged/file.bin")), progress: log.block)
                task.resume()
                await log.counts.becomes { ($0.last ?? 0) > 100_000 }
                task.downloadProgress.cancel()
                await task.ends()
                #expect(task.error?.code == .cancelled)
                #expect(task.downloadProgress.isCancelled)
                #expect(log.fraction.value < 1)
                #expect(folder.names == [])
            }
        }

        @Test func parentProgressIncludesItsTasks() async throws {
            try await serving { server in
                let session = session
                let parent = Progress(totalUnitCount: 2)
                let tasks = (0..<2).map { _ in session.downloadTask(with: URLRequest(url: server.url("/file.bin"))) }
                for task in tasks {
                    parent.addChild(task.downloadProgress, withPendingUnitCount: 1)
                    task.resume()
                }
                for task in tasks { await task.ends() }
                await session.delegateQueue.catchesUp()
                #expect(parent.fractionCompleted == 1 && parent.isFinished)
            }
        }
    }

    @Suite(.enabled(if: HTTPBinServer.isAvailable)) struct SessionHTTPBinProgressTests {
        // A server takes a second to start, so all parts share one.
        @Test func progressAndSuspensionWorkWithHTTPBin() async throws {
            let server = try await HTTPBinServer.start()
            do {
                try await progressReachesItsEnd(server)
                try await suspendedTaskContinues(server)
                try await errorOfRefusedStatusHasBody(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        private func progressReachesItsEnd(_ server: HTTPBinServer) async throws {
            let session = SessionManager(configuration: SessionConfiguration())
            let (up, down) = (ProgressLog(session), ProgressLog(session))
            let text = String(repeating: "x", count: 200_000)
            let echo = try await session.data(
                for: URLRequest("POST", server.url("/post"), headers: ["Content-Type": "text/plain"], body: text),
                uploadProgress: up.block, downloadProgress: down.block)
            #expect((echo.value as? JSONValue)?["data"]?.string == text)
            #expect(up.rose(to: 200_000))
            #expect(down.fraction.value == 1 && (down.counts.value.last ?? 0) > 200_000)
            session.responseSerializer = HTTPResponseSerializer()
            for path in ["/bytes/50000", "/stream-bytes/50000", "/gzip"] {
                let log = ProgressLog(session)
                let response = try await session.data(
                    for: URLRequest(url: server.url(path)), downloadProgress: log.block)
                let count = try #require(response.value as? Data).count
                #expect(log.rose(to: Int64(count)), "\(path)")
            }
        }

        private func suspendedTaskContinues(_ server: HTTPBinServer) async throws {
            let session = SessionManager(configuration: SessionConfiguration())
            session.responseSerializer = HTTPResponseSerializer()
            let log = ProgressLog(session)
            let path = "/range/100000?duration=1&chunk_size=10000"
            let task = session.dataTask(
                with: URLRequest(url: server.url(path)), downloadProgress: log.block, completionHandler: nil)
            task.resume()
            await log.counts.becomes { ($0.last ?? 0) > 0 }
            task.suspend()
            #expect(task.state == .suspended)
            task.resume()
            await task.ends()
            let whole = (0..<100_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            #expect(task.operation.responseData == Data(whole))
            #expect(log.fraction.value == 1)
        }

        private func errorOfRefusedStatusHasBody(_ server: HTTPBinServer) async throws {
            let session = SessionManager(configuration: SessionConfiguration())
            let handled = Observed([String]())
            let task = session.dataTask(with: URLRequest(url: server.url("/status/418"))) { response, object, error in
                handled.append("\(response?.statusCode ?? 0) \(object == nil) \(error?.code.rawValue ?? "")")
            }
            _ = await task.ran()
            #expect(handled.value == ["418 true unacceptableStatus"])
            #expect(task.error?.body?.isEmpty == false)
        }
    }
}
