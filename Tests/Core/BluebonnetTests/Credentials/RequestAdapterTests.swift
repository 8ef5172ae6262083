// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Operations with request adapters on a scripted network.
@Suite(.timeLimit(.minutes(1))) struct RequestAdapterTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork

    init() { network = ScriptedNetwork(time: time) }

    private func operation(
        _ adapters: [any RequestAdapter], _ path: String = "/a", method: String = "GET", body: String? = nil,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> HTTPRequestOperation {
        let options = TransferOptions {
            $0.requestAdapters = adapters
            change(&$0)
        }
        return network.operation(path, method: method, body: body, options: options)
    }

    /// Appends a letter to a field.
    private func letter(_ letter: String) -> any RequestAdapter {
        .block { request in
            let before = request.value(forHTTPHeaderField: "X-Letters") ?? ""
            request.setValue(before + letter, forHTTPHeaderField: "X-Letters")
        }
    }

    private var letters: [String?] { network.log.requests.map { $0.field("X-Letters") } }

    @Test func adaptersRunInOrderOffTheNetworkThread() async {
        let threads = Observed([Bool]())
        let spy: any RequestAdapter = .block { _ in threads.append(NetworkThread.isCurrent) }
        let operation = await self.operation([letter("a"), spy, letter("b")]).run()
        #expect(operation.error == nil && letters == ["ab"])
        #expect(threads.value == [false])
        #expect(operation.request?.value(forHTTPHeaderField: "X-Letters") == "ab")
        #expect(operation.originalRequest?.value(forHTTPHeaderField: "X-Letters") == nil)
    }

    @Test func adapterSeesEverythingThatIsSent() async {
        let seen = Observed([String: String]())
        let bodies = Observed([Data?]())
        let spy: any RequestAdapter = .block { request in
            seen.update { [fields = request.allHTTPHeaderFields ?? [:]] in $0 = fields }
            bodies.append(request.httpBody)
        }
        let operation = self.operation([spy], method: "POST", body: "text")
        operation.idempotencyKey = "k"
        _ = await operation.run()
        #expect(operation.error == nil && bodies.value == [Data("text".utf8)])
        let sent = network.log.requests.first?.headers.map(\.name).sorted()
        #expect(seen.value.keys.sorted() == sent && seen.value["Idempotency-Key"] == "k")
    }

    @Test func eachAttemptIsAdaptedFromTheStart() async {
        network.answer("/a", inTurn: [[.head(503)], [.head(200)]])
        let count = Observed(0)
        let adapter: any RequestAdapter = .block { request in
            count.increment()
            request.addValue("\(count.value)", forHTTPHeaderField: "X-Letters")
        }
        let operation = self.operation([adapter]) { $0.retryPolicy = .standard }
        operation.start()
        await time.runsOut(for: operation)
        #expect(operation.error == nil && letters == ["1", "2"])
    }

    @Test func redirectIsAdaptedOnlyWithinTheOrigin() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", with: [.head(302, ["Location": "http://other.test/c"])])
        network.answer("/c", with: [.head(302, ["Location": "http://scripted.test/d"])])
        let operation = await self.operation([letter("a")]).run()
        #expect(operation.error == nil && letters == ["a", "a", nil, nil])
    }

    @Test func adapterMayChangeMethodBodyAndURL() async {
        let adapter: any RequestAdapter = .block { request in
            request.httpMethod = "PUT"
            request.httpBody = Data("other".utf8)
            request.url = URL(string: "http://scripted.test/x/../b?q=1")
        }
        let operation = await self.operation([adapter], method: "POST", body: "text").run()
        #expect(operation.error == nil)
        let sent = network.log.requests.first
        #expect(sent?.method == "PUT" && sent?.url.absoluteString == "http://scripted.test/b?q=1")
        guard case .data(let body)? = sent?.body else { return #expect(Bool(false), "no body") }
        #expect(body == Data("other".utf8))
    }

    /// Each hop is adapted from the caller's body. An origin that the adapters do not cover gets the caller's body.
    @Test(arguments: [("/b", ["text+", "text+"]), ("http://other.test/b", ["text+", "text"])])
    func redirectKeepsTheCallersBody(location: String, bodies: [String]) async {
        network.answer("/a", with: [.head(307, ["Location": location])])
        let adapter: any RequestAdapter = .block { request in
            request.httpBody = (request.httpBody ?? Data()) + Data("+".utf8)
            request.url = request.url.flatMap { URL(string: $0.absoluteString + "?signed") }
        }
        let operation = await self.operation([adapter], method: "POST", body: "text").run()
        #expect(operation.error == nil)
        let sent = network.log.requests.map { request -> String in
            guard case .data(let data) = request.body else { return "" }
            return String(decoding: data, as: UTF8.self)
        }
        #expect(sent == bodies)
    }

    @Test func adapterThatChangesTheOriginUsesThatOriginsSlot() async {
        let network = ScriptedNetwork(limit: 2, limitPerOrigin: 1)
        let (gate, reached) = (Gate(), Observed(0))
        network.answer("/held", with: [.reach(reached), .wait(gate), .head(200)])
        let running = network.operation("/held")
        running.start()
        await reached.becomes(1)
        let options = TransferOptions {
            $0.requestAdapters = [.block { $0.url = URL(string: "http://scripted.test/b") }]
        }
        let request = URLRequest("GET", URL(string: "http://other.test/a") ?? ScriptedNetwork.url("/"))
        let moved = HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        moved.start()
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.count == 1)
        gate.open()
        await moved.ends()
        await running.ends()
        #expect(moved.error == nil && network.log.entries.value.peakPerOrigin == 1)
        #expect(network.log.requests.last?.origin.host == "scripted.test")
        #expect(moved.response?.url?.absoluteString == "http://scripted.test/b")
    }

    @Test func redirectIsRelativeToTheSentURL() async {
        network.answer("/deep/a", with: [.head(302, ["Location": "b"])])
        let adapter: any RequestAdapter = .block { request in
            if request.url?.path == "/a" { request.url = URL(string: "http://scripted.test/deep/a") }
        }
        let operation = await self.operation([adapter]).run()
        #expect(operation.error == nil && network.log.entries.value.paths == ["/deep/a", "/deep/b"])
    }

    @Test(
        arguments: [
            ("ftp://scripted.test/", .badURL), ("http:///a", .badURL),
        ] as [(String, NetworkingError.Code)])
    func urlOfAnAdapterIsChecked(url: String, code: NetworkingError.Code) async {
        let operation = await self.operation([.block { $0.url = URL(string: url) }]).run()
        #expect(operation.code == code && network.log.requests.isEmpty)
    }

    @Test func fieldsAndMethodOfAnAdapterAreChecked() async {
        let field = await self.operation([.block { $0.setValue("9", forHTTPHeaderField: "Content-Length") }]).run()
        let method = await self.operation([.block { $0.httpMethod = "A B" }]).run()
        let stream = await self.operation([.block { $0.httpBodyStream = InputStream(data: Data()) }]).run()
        for operation in [field, method, stream] { #expect(operation.code == .invalidRequest) }
        #expect(network.log.requests.isEmpty)
    }

    @Test func hostPolicyIsCheckedAfterTheAdapters() async throws {
        let hosts = try SecurityPolicyTable(["scripted.test": .default])
        let adapter: any RequestAdapter = .block { $0.url = URL(string: "http://refused.test/") }
        let operation = await self.operation([adapter]) {
            $0.securityPolicy = .trustingNobody
            $0.securityPolicy.hosts = hosts
        }.run()
        #expect(operation.code == .serverNotTrusted && network.log.requests.isEmpty)
    }

    @Test func adapterErrorFailsTheOperationWithoutARetry() async {
        let count = Observed(0)
        let adapter: any RequestAdapter = .block { _ in
            count.increment()
            throw ScriptedAuthenticator.Refusal()
        }
        let operation = await self.operation([adapter, letter("a")]) { $0.retryPolicy = .standard }.run()
        #expect(operation.code == .invalidRequest && count.value == 1)
        #expect(operation.error?.message == "a request adapter failed: no more tokens")
        #expect(operation.error?.underlying is ScriptedAuthenticator.Refusal)
        let own = await self.operation([.block { _ in throw NetworkingError(.notStarted, "not now") }]).run()
        #expect(own.code == .notStarted && network.log.requests.isEmpty)
    }

    @Test(arguments: [false, true]) func runningAdapterIsCancelledWithItsOperation(isPause: Bool) async {
        let (begun, cancelled) = (Observed(0), Gate())
        let adapter: any RequestAdapter = .block { request in
            begun.increment()
            guard begun.value == 1 else { return request.setValue("2", forHTTPHeaderField: "X-Letters") }
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
        }
        let operation = self.operation([adapter])
        operation.start()
        await begun.becomes(1)
        if isPause { operation.pause() } else { operation.cancel() }
        await cancelled.wait()
        #expect(network.log.requests.isEmpty)
        if isPause { operation.resume() }
        await operation.ends()
        #expect(operation.code == (isPause ? nil : .cancelled) && letters == (isPause ? ["2"] : []))
    }

    @Test func totalLimitEndsAHangingAdapter() async {
        let gate = Gate()
        let operation = self.operation([.block { _ in await gate.wait() }]) { $0.timeouts.total = .seconds(5) }
        operation.start()
        await time.hasWaiting(1)
        await time.advance(by: .seconds(6))
        await operation.ends()
        #expect(operation.code == .timedOut)
        gate.open()
    }

    @Test(arguments: ["http://scripted.test/a", "http://covered.test/b"])
    func cacheIsNotUsedWithAdapters(url: String) async {
        let cache = InMemoryResponseCache()
        network.answerOthers { request in
            [.head(200, ["Cache-Control": "max-age=60"]), .body(request.field("Authorization") ?? "")]
        }
        let covered = URL(string: "http://covered.test/") ?? ScriptedNetwork.url("/")
        for user in ["one", "two"] {
            let shared = SharedAuthenticator(
                ScriptedAuthenticator { _ in .init(text: "new") }, credential: .init(text: user),
                origins: [covered, ScriptedNetwork.url("/")])
            let operation = self.operation([.block { $0.url = URL(string: url) }]) {
                $0.responseCache = cache
                $0.authenticator = shared
            }
            #expect(await operation.run().responseString == "Bearer \(user)")
        }
        #expect(network.log.requests.count == 2)
        #expect(cache.cachedResponse(for: network.request("/a")) == nil)
        let only = self.operation([.block { _ in }]) { $0.responseCache = cache }
        _ = await only.run()
        #expect(network.log.requests.count == 3 && cache.cachedResponse(for: network.request("/a")) == nil)
    }

    @Test func credentialIsAppliedAfterTheAdapters() async {
        let seen = Observed([String?]())
        let adapter: any RequestAdapter = .block { request in
            seen.append(request.value(forHTTPHeaderField: "Authorization"))
            request.url = URL(string: "http://scripted.test/b")
        }
        let shared = SharedAuthenticator(
            ScriptedAuthenticator { _ in .init(text: "new") }, credential: .init(text: "old"),
            origins: [ScriptedNetwork.url("/")])
        network.answer("/b", onlyFor: "new")
        let options = TransferOptions {
            $0.requestAdapters = [adapter]
            $0.authenticator = shared
        }
        let url = URL(string: "http://other.test/a") ?? ScriptedNetwork.url("/")
        let operation = HTTPRequestOperation(
            plan: RequestPlan(URLRequest(url: url), options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        _ = await operation.run()
        #expect(operation.error == nil && network.sentTokens == ["Bearer old", "Bearer new"])
        #expect(seen.value == [nil, nil])
    }

    // MARK: - Bodies

    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  // FIPS 180-2, B.1

    private func signed(_ operation: HTTPRequestOperation) async -> [String?] {
        operation.requestAdapters = [
            .block { request, body in
                let kind =
                    switch body.source {
                    case .none: "none"
                    case .data(let data): "data of \(data.count)"
                    case .file(let file): "file \(file.lastPathComponent)"
                    case .stream: "stream"
                    }
                #expect((request.httpBody != nil) == kind.hasPrefix("data"))
                request.setValue(kind, forHTTPHeaderField: "X-Kind")
                request.setValue(try await body.sha256(), forHTTPHeaderField: "X-Digest")
            }
        ]
        operation.start()
        await operation.ends()
        let sent = network.log.requests.last
        return [sent?.field("X-Kind"), sent?.field("X-Digest")]
    }

    @Test func adapterReceivesTheBodySourceAndItsDigest() async throws {
        let manager = network.manager()
        manager.responseSerializer = HTTPResponseSerializer()
        let folder = try ScratchFolder()
        let file = URL(fileURLWithPath: folder.path("abc.txt"))
        try Data("abc".utf8).write(to: file)
        #expect(await signed(manager.operation("POST", "a", body: .text("abc"))) == ["data of 3", Self.abc])
        #expect(await signed(manager.operation("PUT", "a", body: .file(file))) == ["file abc.txt", Self.abc])
        let nothing = MessageDigest.hexadecimalDigest(of: Data())
        #expect(await signed(manager.operation("GET", "a")) == ["none", nothing])
        #expect(await signed(manager.operation("POST", "a", body: .data(Data()))) == ["none", nothing])
    }

    /// The sent bytes are the bytes that were signed.
    @Test func digestOfAFormMatchesTheSentBody() async throws {
        try await TestServer.answering(.response(body: "fine")) { server in
            let manager = RequestOperationManager(baseURL: server.url())
            manager.requestAdapters = [
                .block { request, body in
                    request.setValue(try await body.sha256(), forHTTPHeaderField: "X-Digest")
                }
            ]
            let response = try await manager.post(
                "a", body: .multipart(["a": 1]) { try $0.append(Data("bytes".utf8), name: "b") })
            #expect(response.isSuccess)
            let sent = try #require(server.requests.first)
            #expect(sent.body.count > 100)
            #expect(sent.headers["X-Digest"] == MessageDigest.hexadecimalDigest(of: sent.body))
        }
    }

    @Test func streamWithoutReplayHasNoDigest() async {
        var request = URLRequest("POST", ScriptedNetwork.url("/a"))
        request.httpBodyStream = InputStream(data: Data("abc".utf8))
        let operation = network.manager().operation(with: request)
        _ = await signed(operation)
        #expect(operation.code == .bodyStreamExhausted)
        #expect(network.log.requests.isEmpty)
        request.httpBodyStream = InputStream(data: Data("abc".utf8))
        let again = network.manager().operation(with: request, responseSerializer: HTTPResponseSerializer())
        again.onNeedNewBodyStream = { InputStream(data: Data("abc".utf8)) }
        #expect(await signed(again) == ["stream", Self.abc])
    }

    @Test func unreadableFileFailsTheOperation() async {
        let missing = URL(fileURLWithPath: "/nowhere/abc.txt")
        let operation = network.manager().operation("POST", "a", body: .file(missing))
        _ = await signed(operation)
        #expect(operation.code == .cannotReadFile)
    }
}
