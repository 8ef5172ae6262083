// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionDownloadTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())
    private let folder: ScratchFolder
    private let session: SessionManager
    private let gate = Gate()
    private static let body = Data.patterned(byteCount: 200_000)

    init() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(at: folder.file("temporary"), withIntermediateDirectories: false)
        self.folder = folder
        session = network.session { $0.downloadDirectory = folder.file("temporary") }
        network.answer("/a", with: [.head(200), .body("the file")])
    }

    /// The names of the files in the folder for downloads.
    private var temporaryNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path("temporary"))) ?? []).sorted()
    }

    /// Answers the first request with half of a body, then waits. Any other request gets the rest, or the whole body
    /// again.
    private func answerHalf(reached: Observed<Int>, etag: String = "\"1\"", continues: Bool = true) {
        let (half, total) = (Self.body.count / 2, Self.body.count)
        let head = ["ETag": etag, "Content-Length": "\(total)"]
        let range = ["ETag": etag, "Content-Range": "bytes \(half)-\(total - 1)/\(total)"]
        network.answer(
            "/half",
            inTurn: [
                [.head(200, head), .bytes(Self.body.prefix(half)), .reach(reached), .wait(gate)],
                continues
                    ? [.head(206, range), .bytes(Self.body.dropFirst(half))] : [.head(200, head), .bytes(Self.body)],
            ])
    }

    @Test func fileIsMovedToItsDestination() async throws {
        let destination = folder.file("got")
        let place: SessionTask.Destination = { [seen] temporary, response in
            let text = (try? String(contentsOf: temporary, encoding: .utf8)) ?? ""
            seen.append("\(text) \(response.statusCode)")
            return destination
        }
        let task = session.downloadTask(with: network.request("/a"), destination: place) {
            [seen] response, file, error in
            seen.append("\(file?.lastPathComponent ?? "") \(error == nil) \(response?.statusCode ?? 0)")
        }
        _ = await task.ran()
        #expect(seen.value == ["the file 200", "got true 200"])
        #expect(folder.text("got") == "the file")
        #expect(task.downloadedFile == destination)
        #expect(temporaryNames == [])
        #expect(task.resumeData == nil)
    }

    @Test func existingFileIsNotReplacedAndTheHandlerReportsIt() async throws {
        try folder.write("mine", to: "got")
        let destination = folder.file("got")
        let place: SessionTask.Destination = { _, _ in destination }
        let task = session.downloadTask(with: network.request("/a"), destination: place) {
            [seen] response, file, error in
            seen.append("\(response?.statusCode ?? 0) \(file == nil) \(error?.code.rawValue ?? "")")
        }
        session.blocks.taskDidComplete = { [seen] _, error in seen.append("complete \(error?.code.rawValue ?? "")") }
        _ = await task.ran()
        #expect(seen.value == ["complete cannotWriteFile", "200 true cannotWriteFile"])
        #expect((task.error?.underlying as? POSIXError)?.code == .EEXIST)
        #expect(folder.text("got") == "mine")
        #expect(temporaryNames == [])
        do throws(NetworkingError) {
            _ = try await session.download(for: network.request("/a"), destination: place)
            Issue.record("the file was replaced")
        } catch {
            #expect(error.code == .cannotWriteFile)
        }
    }

    @Test func destinationInAMissingFolderFails() async throws {
        let task = await session.downloadTask(
            with: network.request("/a"), destination: { _, _ in URL(fileURLWithPath: "/nowhere/got") }
        ).ran()
        #expect(task.error?.code == .cannotWriteFile)
        #expect((task.error?.underlying as? POSIXError)?.code == .ENOENT)
    }

    @Test func sessionBlockOverridesTheDestination() async throws {
        session.blocks.downloadTaskDidFinishDownloading = { [folder] task, _ in
            task.taskDescription == "session" ? folder.file("session") : nil
        }
        for name in ["session", "task"] {
            let task = session.downloadTask(
                with: network.request("/a"), destination: { [folder] _, _ in folder.file("task") })
            task.taskDescription = name
            _ = await task.ran()
            #expect(task.downloadedFile == folder.file(name))
        }
    }

    @Test func fileWithoutADestinationStaysWhereItIs() async throws {
        let response = try await session.download(for: network.request("/a"))
        #expect(try String(contentsOf: response.value, encoding: .utf8) == "the file")
        #expect(response.value.deletingLastPathComponent().path == folder.path("temporary"))
    }

    @Test func destinationThatIsTheTemporaryFileKeepsIt() async throws {
        let response = try await session.download(
            for: network.request("/a"), destination: { temporary, _ in temporary })
        #expect(try String(contentsOf: response.value, encoding: .utf8) == "the file")
        #expect(temporaryNames == [response.value.lastPathComponent])
    }

    /// A folder on another file system: /tmp is often on another one than a program's data.
    @Test func moveAcrossFileSystemsReplacesNoFile() throws {
        let (shared, name) = (URL(fileURLWithPath: "/dev/shm"), "bluebonnet-\(UUID().uuidString)")
        let target = shared.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: target) }
        try folder.write("new", to: "source")
        let devices = try ["/dev/shm", folder.path("source")].map {
            try #require(try FileManager.default.attributesOfItem(atPath: $0)[.systemNumber] as? Int)
        }
        #expect(devices[0] != devices[1])
        try FileManager.default.moveItem(at: folder.file("source"), toNew: target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "new")
        #expect(folder.text("source") == nil)
        try folder.write("other", to: "source")
        #expect { try FileManager.default.moveItem(at: folder.file("source"), toNew: target) } throws: {
            ($0 as? POSIXError)?.code == .EEXIST
        }
        #expect(try String(contentsOf: target, encoding: .utf8) == "new")
        #expect(folder.text("source") == "other")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path).allSatisfy { !$0.contains(".copy-") })
    }

    @Test func downloadCancelledWithoutResumeDataLeavesNothing() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached)
        let task = session.downloadTask(with: network.request("/half"))
        task.resume()
        await reached.becomes(1)
        task.cancel()
        await task.ends()
        await session.delegateQueue.catchesUp()
        #expect(task.error?.code == .cancelled && task.resumeData == nil)
        #expect(temporaryNames == [])
    }

    @Test func cancelledAsyncDownloadLeavesNothing() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached)
        let waiting = Task { [session, network] in try await session.download(for: network.request("/half")) }
        await reached.becomes(1)
        waiting.cancel()
        await #expect(throws: NetworkingError.self) { try await waiting.value }
        #expect(temporaryNames == [])
    }

    @Test func resumeDataOfAForeignFileIsRefused() async throws {
        try folder.write("mine", to: "victim")
        let data = try JSONEncoder().encode(
            DownloadResumption(
                url: try #require(network.request("/a").url), headers: [:], file: folder.file("victim")))
        do throws(NetworkingError) {
            _ = try await session.download(resumeFrom: data)
            Issue.record("the data was taken")
        } catch {
            #expect(error.code == .resumeRefused)
        }
        #expect(folder.text("victim") == "mine")
    }

    @Test func refusedStatusLeavesNoFile() async throws {
        network.answer("/missing", with: [.head(404), .body("no")])
        let task = await session.downloadTask(
            with: network.request("/missing"), destination: { [folder] _, _ in folder.file("got") }
        ).ran()
        #expect(task.error?.code == .unacceptableStatus)
        #expect(task.error?.body == Data("no".utf8))
        #expect(folder.names == ["temporary"])
        #expect(temporaryNames == [])
    }

    @Test func resumeDataContinuesACancelledDownload() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached)
        let first = session.downloadTask(with: network.request("/half"))
        #expect(first.resumeData == nil)
        first.resume()
        await reached.becomes(1)
        let data = try #require(await first.cancelByProducingResumeData())
        #expect(first.error?.code == .cancelled)
        #expect(data == first.resumeData)
        session.blocks.downloadTaskDidResume = { [seen] _, offset, expected in seen.append("\(offset) \(expected)") }
        session.blocks.downloadTaskDidWriteData = { [seen] _, _, total, _ in seen.append("wrote \(total)") }
        let second = await session.downloadTask(
            withResumeData: data, destination: { [folder] _, _ in folder.file("got") }
        ).ran()
        #expect(second.error == nil)
        #expect(try Data(contentsOf: folder.file("got")) == Self.body)
        #expect(seen.value == ["100000 200000", "wrote 200000"])
        #expect(temporaryNames == [])
        #expect(network.log.requests.last?.headers.first { $0.name == "Range" }?.value == "bytes=100000-")
    }

    @Test func resumeDataStartsAgainIfTheServerSendsTheWhole() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached, continues: false)
        let first = session.downloadTask(with: network.request("/half"))
        first.resume()
        await reached.becomes(1)
        let data = try #require(await first.cancelByProducingResumeData())
        session.blocks.downloadTaskDidResume = { [seen] _, _, _ in seen.append("resumed") }
        let response = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: response.value) == Self.body)
        #expect(seen.value == [])
    }

    @Test func bodyWithoutAStrongValidatorHasNoResumeData() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached, etag: "W/\"1\"")
        let task = session.downloadTask(with: network.request("/half"))
        task.resume()
        await reached.becomes(1)
        #expect(await task.cancelByProducingResumeData() == nil)
        #expect(temporaryNames == [])
    }

    @Test func failedDownloadHasResumeData() async throws {
        let total = Self.body.count
        network.answer(
            "/half",
            with: [
                .head(200, ["ETag": "\"1\"", "Content-Length": "\(total)"]), .bytes(Self.body.prefix(100_000)),
                .fail(.connectionLost),
            ])
        let task = await session.downloadTask(with: network.request("/half")).ran()
        #expect(task.error?.code == .connectionLost)
        #expect(task.resumeData != nil)
    }

    @Test func otherTasksHaveNoResumeData() async throws {
        let task = session.dataTask(with: network.request("/a"))
        #expect(await task.cancelByProducingResumeData() == nil)
        let post = session.downloadTask(with: network.request("/a", method: "POST", body: "x"))
        post.resume()
        #expect(post.resumeData == nil)
        await post.ends()
    }

    @Test func brokenResumeDataFails() async throws {
        let task = await session.downloadTask(withResumeData: Data("{}".utf8)).ran()
        #expect(task.error?.code == .resumeRefused)
        #expect(network.log.requests.isEmpty)
    }

    @Test func suspendedDownloadContinues() async throws {
        let reached = Observed(0)
        answerHalf(reached: reached)
        let task = session.downloadTask(
            with: network.request("/half"), destination: { [folder] _, _ in folder.file("got") })
        task.resume()
        await reached.becomes(1)
        task.suspend()
        await network.log.sees(.aborted(1))
        task.resume()
        await task.ends()
        #expect(try Data(contentsOf: folder.file("got")) == Self.body)
    }
}
