// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Sessions with real servers, after AFNetworking's own tests of its session managers.
    @Suite struct SessionServerTests {
        private let seen = Observed([String]())

        private static func plain(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionManager {
            var configuration = SessionConfiguration()
            change(&configuration)
            let session = SessionManager(configuration: configuration)
            session.responseSerializer = HTTPResponseSerializer()
            return session
        }

        @Test func bodyStreamBlockIsCalledToResendTheBody() async throws {
            try await TestServer.serving { request in
                request.path == "/first"
                    ? .response(status: 307, headers: ["Location": "/second"]) : .response(body: request.body)
            } _: { server in
                let session = Self.plain()
                session.blocks.taskNeedNewBodyStream = { [seen] task in
                    seen.append("stream of \(task.taskIdentifier)")
                    return InputStream(data: Data("the body".utf8))
                }
                var request = URLRequest("POST", server.url("/first"))
                request.httpBodyStream = InputStream(data: Data("the body".utf8))
                let response = try await session.upload(forStreamedRequest: request)
                #expect(response.value as? Data == Data("the body".utf8))
                #expect(seen.value == ["stream of 1"])
            }
        }

        @Test func sessionChallengeIsAboutTheServer() async throws {
            var options = TestServer.Options()
            options.certificate = .localhost
            try await TestServer.answering(.response(body: "in"), options) { server in
                let refused = Self.plain()
                let error = await #expect(throws: NetworkingError.self) {
                    try await refused.data(for: URLRequest(url: server.url("/")))
                }
                #expect(error?.code == .serverNotTrusted)
                #expect((error as (any Error)? as NSError?)?.domain == NSURLErrorDomain)
                #expect((error as (any Error)? as NSError?)?.code == -1202)
                let session = Self.plain()
                session.blocks.sessionDidReceiveChallenge = { [seen] challenge in
                    seen.append(challenge.host)
                    return .accept
                }
                let response = try await session.data(for: URLRequest(url: server.url("/")))
                #expect(response.value as? Data == Data("in".utf8))
                #expect(seen.value == ["127.0.0.1"])
            }
        }

        @Test func metricsSummarizeTheTransfers() async throws {
            try await TestServer.serving { request in
                request.path == "/a" ? .response(status: 302, headers: ["Location": "/b"]) : .response(body: "b")
            } _: { server in
                let session = Self.plain()
                let metrics = Observed([TransferSummary]())
                session.blocks.taskDidFinishCollectingMetrics = { metrics.append($1) }
                _ = try await session.data(for: URLRequest(url: server.url("/a")))
                #expect(metrics.value.map(\.transferCount) == [2])
                #expect(metrics.value.map(\.redirectCount) == [1])
                #expect(metrics.value.allSatisfy { $0.timings.total > .zero })
            }
        }

        @Test func largeDataTaskBecomesADownload() async throws {
            let body = Data.patterned(byteCount: 3_000_000)
            let folder = try ScratchFolder()
            try await TestServer.answering(.response(body: body)) { server in
                let session = Self.plain { $0.downloadDirectory = folder.url }
                session.blocks.dataTaskDidReceiveResponse = { _, _ in .becomeDownload }
                session.blocks.downloadTaskDidFinishDownloading = { _, _ in folder.file("got") }
                let response = try await session.data(for: URLRequest(url: server.url("/")))
                #expect(response.value as? URL == folder.file("got"))
                #expect(try Data(contentsOf: folder.file("got")) == body)
                #expect(folder.names == ["got"])
            }
        }

        @Test func dataPiecesFormTheBody() async throws {
            let body = Data.patterned(byteCount: 500_000)
            try await TestServer.answering(.response(body: body)) { server in
                let session = Self.plain()
                let pieces = Observed(Data())
                session.blocks.dataTaskDidReceiveData = { _, data in pieces.update { $0 += data } }
                let response = try await session.data(for: URLRequest(url: server.url("/")))
                #expect(response.value as? Data == body)
                #expect(pieces.value == body)
            }
        }

        /// A download whose resume data another process wrote before it was killed.
        @Test func killedDownloadContinuesFromItsResumeData() async throws {
            let folder = try ScratchFolder()
            let representation = Representation(body: .patterned(byteCount: 1_000_000), etag: "\"one\"")
            let script: TestServer.Script = { request in
                let answer = representation.answer(to: request)
                guard request.headers["X-Process"] != nil, Representation.offset(of: request) == nil else {
                    return answer
                }
                return answer.cut(afterByteCount: answer.bytes.count / 2, then: .stall)
            }
            try await TestServer.serving(script: script) { server in
                async let killer: Void = {
                    await server.wait { $0.requests.last?.headers["X-Process"] != nil }
                    await becomes(true) { folder.hasPartialBody && folder.text("resume-data") != nil }
                    if let pid = server.requests.last?.headers["X-Process"].flatMap({ pid_t($0) }) {
                        kill(pid, SIGKILL)
                    }
                }()
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [address = server.url("/file").absoluteString as String, path = folder.url.path as String] in
                    let folder = URL(fileURLWithPath: path, isDirectory: true)
                    var configuration = SessionConfiguration()
                    configuration.downloadDirectory = folder
                    let session = SessionManager(configuration: configuration)
                    let request = URLRequest(
                        "GET", try #require(URL(string: address)), headers: ["X-Process": "\(getpid())"])
                    let task = session.downloadTask(with: request)
                    task.resume()
                    try #require(task.resumeData).write(
                        to: folder.appendingPathComponent("resume-data"), options: .atomic)
                    while true { pause() }
                }
                await killer
                let data = try Data(contentsOf: folder.file("resume-data"))
                let session = Self.plain { $0.downloadDirectory = folder.url }
                session.blocks.downloadTaskDidResume = { [seen] _, offset, _ in seen.append("\(offset > 0)") }
                let response = try await session.download(
                    resumeFrom: data, destination: { _, _ in folder.file("got") })
                #expect(try Data(contentsOf: response.value) == representation.body)
                #expect(seen.value == ["true"])
                #expect(folder.names == ["got", "resume-data"])
            }
        }

        /// In its own process, so that no other test changes its threads and descriptors.
        @Test func thousandManagersLeakNoThreadOrDescriptor() async {
            await #expect(processExitsWith: .success) {
                try await TestServer.answering(.response(body: "ok")) { server in
                    func use(_ count: Int) async throws {
                        for _ in 0..<count {
                            let session = SessionManager(configuration: .ephemeral)
                            session.responseSerializer = HTTPResponseSerializer()
                            _ = session.dataTask(with: URLRequest(url: server.url("/idle")))
                            _ = try await session.data(for: URLRequest(url: server.url("/")))
                        }
                        await closeIdleConnections()
                    }
                    try await use(20)
                    let before = ResourceSnapshot.current()
                    try await use(1000)
                    #expect(await ResourceSnapshot.growthAfterSettling(to: before) == [])
                }
            }
        }
    }

    @Suite(.enabled(if: NginxServer.isAvailable)) struct SessionNginxTests {
        @Test func downloadContinuesFromItsResumeData() async throws {
            let (root, folder) = (try TemporaryFolder(), try ScratchFolder())
            defer { root.remove() }
            let body = Data.patterned(byteCount: 3_000_000)
            try root.write("file.bin", body)
            let server = try await NginxServer.start(documentRoot: root.url, directives: "limit_rate 2m;")
            var configuration = SessionConfiguration()
            configuration.downloadDirectory = folder.url
            let session = SessionManager(configuration: configuration)
            let reached = Observed(Int64(0))
            session.blocks.downloadTaskDidWriteData = { _, _, total, _ in reached.update { $0 = total } }
            session.blocks.downloadTaskDidResume = { _, offset, _ in reached.update { $0 = -offset } }
            let task = session.downloadTask(with: URLRequest(url: server.url("/file.bin")))
            task.resume()
            await reached.becomes { $0 > 100_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            session.blocks.downloadTaskDidWriteData = nil
            let response = try await session.download(
                resumeFrom: data, destination: { _, _ in folder.file("got") })
            #expect(try Data(contentsOf: response.value) == body)
            #expect(reached.value < -100_000)
            await server.stop()
        }
    }

    @Suite(.enabled(if: HTTPBinServer.isAvailable)) struct SessionHTTPBinTests {
        @Test func managerCallsReachTheServer() async throws {
            let server = try await HTTPBinServer.start()
            let manager = HTTPSessionManager(baseURL: server.url("/"), configuration: SessionConfiguration())
            do {
                let got = try await manager.get("get", parameters: ["a": "b c"], headers: ["X-Test": "1"])
                let json = got.value as? JSONValue
                #expect(json?["args"]?["a"]?.string == "b c")
                #expect(json?["headers"]?["X-Test"]?.string == "1")
                let posted = try await manager.post("post", parameters: ["a": 1])
                #expect((posted.value as? JSONValue)?["form"]?["a"]?.string == "1")
                let form = try await manager.post("post", parameters: ["a": 1]) { form in
                    try form.append(Data("contents".utf8), name: "file", fileName: "f.txt")
                }
                #expect((form.value as? JSONValue)?["files"]?["file"]?.string == "contents")
                let redirects = Observed([String]())
                manager.blocks.taskWillPerformHTTPRedirection = { _, _, proposed in
                    redirects.append(proposed.url?.path ?? "")
                    return proposed
                }
                _ = try await manager.get("redirect/2")
                #expect(redirects.value == ["/relative-redirect/1", "/get"])
                for code in [404, 500] {
                    let error = await #expect(throws: NetworkingError.self) { try await manager.get("status/\(code)") }
                    #expect(error?.response?.statusCode == code)
                }
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }
}

extension ScratchFolder {
    /// Whether the folder has a partial file with bytes.
    fileprivate var hasPartialBody: Bool {
        names.contains { $0.hasSuffix(".bluebonnet-partial") && (try? Data(contentsOf: file($0)))?.isEmpty == false }
    }
}
