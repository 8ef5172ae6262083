// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetTesting

@Suite(.timeLimit(.minutes(1))) struct RecordingTests {

    /// Runs `body` with a manager that records a real server, then with a manager that plays only the recording.
    private func recordedAndPlayed(
        _ server: TestServer, _ configuration: RequestOperationManager.Configuration = .init(),
        _ body: (RequestOperationManager) async throws -> Void
    ) async throws -> (file: String, requests: [ReceivedRequest]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = URL(fileURLWithPath: folder.path("recording.json"))
        let recording = try TrafficRecording(file: file, mode: .record)
        let manager = RequestOperationManager(baseURL: server.url(), configuration: configuration, recording: recording)
        try await body(manager)
        try recording.expectAllPlayed()
        let requests = server.requests
        let url = server.url()
        await server.stop()
        let played = try TrafficRecording(file: file)
        try await body(
            RequestOperationManager(baseURL: url, configuration: configuration, recording: played))
        try played.expectAllPlayed()
        return (try String(contentsOf: file, encoding: .utf8), requests)
    }

    @Test func trafficIsReplayedUnchanged() async throws {
        let server = try await TestServer.start { request in
            request.method == "POST"
                ? .response(status: 201, headers: ["Content-Type": "application/json"], body: #"{"b": 1, "a": [true]}"#)
                : .response(status: 404, headers: ["Content-Type": "text/plain"], body: "none\n")
        }
        let run = try await recordedAndPlayed(server) { manager in
            let made: JSONValue = try await manager.post("orders", body: .json(["article": 7]))
            #expect(made == .object(["a": .array([.bool(true)]), "b": .integer(1)]))
            let error = await #expect(throws: NetworkingError.self) {
                let _: JSONValue = try await manager.get("x?y=1")
            }
            #expect(error?.code == .unacceptableStatus && error?.body == Data("none\n".utf8))
        }
        #expect(run.requests.map(\.method) == ["POST", "GET"])
        #expect(run.requests[0].bodyText == #"{"article":7}"#)
        #expect(run.file.contains(#""article" : 7"#))
        #expect(run.file.contains(#""text" : "none\n""#))
    }

    @Test func secretsAreNotInTheFile() async throws {
        let server = try await TestServer.start { request in
            request.path == "/token"
                ? .response(
                    headers: ["Content-Type": "application/json", "Set-Cookie": "s=hidden-cookie"],
                    body: #"{"access_token":"hidden-token"}"#)
                : .redirect(to: "/token?access_token=hidden-query")
        }
        let run = try await recordedAndPlayed(server) { manager in
            manager.headers["Authorization"] = "Bearer hidden-header"
            let token: JSONValue = try await manager.post(
                "login?api_key=hidden-key", body: .form(["user": "ada", "password": "hidden-password"]))
            #expect(["hidden-token", "REDACTED"].contains(token["access_token"]?.string))
        }
        #expect(run.requests.first?.headers["Authorization"] == "Bearer hidden-header")
        #expect(run.requests.first?.bodyText.contains("hidden-password") == true)
        #expect(!run.file.contains("hidden"))
        #expect(run.file.contains("user=ada&password=REDACTED") || run.file.contains("password=REDACTED&user=ada"))
    }

    @Test func contentCodingIsNotInTheRecording() async throws {
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="))
        let server = try await TestServer.start { request in
            #expect(request.headers["Accept-Encoding"]?.contains("gzip") == true)
            return .response(headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain"], body: packed)
        }
        let run = try await recordedAndPlayed(server) { manager in
            let operation = manager.operation("GET", "a", responseSerializer: HTTPResponseSerializer())
            manager.operationQueue.addOperation(operation)
            let body = try await operation.value(as: Data.self)
            #expect(body == Data("hello".utf8))
        }
        #expect(run.file.contains(#""text" : "hello""#))
        #expect(!run.file.lowercased().contains("content-encoding"))
    }

    @Test func multipartBodyMatchesWithAnyBoundary() async throws {
        let server = try await TestServer.start { _ in
            .response(headers: ["Content-Type": "application/json"], body: "1")
        }
        let run = try await recordedAndPlayed(server) { manager in
            let value: JSONValue = try await manager.post(
                "form", body: .multipart { try $0.append("Ada", name: "user") })
            #expect(value == .integer(1))
        }
        #expect(run.file.contains("boundary=boundary"))
    }

    @Test func networkFailureIsReplayed() async throws {
        let server = try await TestServer.start { _ in .reset }
        let run = try await recordedAndPlayed(server) { manager in
            let error = await #expect(throws: NetworkingError.self) { let _: JSONValue = try await manager.get("a") }
            #expect(error?.code == .connectionLost)
        }
        #expect(run.file.contains(#""code" : "connectionLost""#))
    }

    /// A cancelled request says nothing about the server. Its request to the server is cancelled, too.
    @Test func cancelledRequestIsNotRecorded() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await TestServer.start { $0.path == "/slow" ? Reply([.stall]) : .response(body: "answer") }
        let recording = try TrafficRecording(file: URL(fileURLWithPath: folder.path("a.json")), mode: .record)
        let manager = RequestOperationManager(baseURL: server.url(), recording: recording)
        manager.responseSerializer = HTTPResponseSerializer()
        let slow = manager.operation("GET", "slow")
        manager.operationQueue.addOperation(slow)
        await server.waitForRequests(count: 1)
        slow.cancel()
        let error = await #expect(throws: NetworkingError.self) { _ = try await slow.value }
        #expect(error?.code == .cancelled)
        await server.waitForConnectionsToClose()
        let body: Data = try await manager.get("next")
        #expect(body == Data("answer".utf8))
        #expect(recording.exchanges.map(\.request.url) == [server.url("/next").absoluteString])
        try recording.expectAllPlayed()
        await server.stop()
    }

    @Test func cookiesOfTheServerAreSentWhileRecording() async throws {
        let server = try await TestServer.start { request in
            .response(
                headers: ["Set-Cookie": "s=1", "Content-Type": "application/json"],
                body: request.headers["Cookie"] == nil ? "1" : "2")
        }
        var configuration = RequestOperationManager.Configuration()
        configuration.cookieJar = CookieJar()
        let run = try await recordedAndPlayed(server, configuration) { manager in
            let first: JSONValue = try await manager.get("a")
            let second: JSONValue = try await manager.get("a")
            #expect([first, second] == [.integer(1), .integer(2)])
        }
        #expect(run.requests.map { $0.headers["Cookie"] } == [nil, "s=1"])
    }

    // MARK: Requests and files that do not match

    private func recording(_ text: String, matching: TrafficRecording.Matching = .methodURLAndBody) throws
        -> (TrafficRecording, TemporaryFolder)
    {
        let folder = try TemporaryFolder()
        let path = try folder.write("shop.json", text)
        return (try TrafficRecording(file: URL(fileURLWithPath: path), matching: matching), folder)
    }

    private static let orders = """
        {"bluebonnetRecording": 1, "exchanges": [
          {"request": {"method": "POST", "url": "https://shop.test/orders", "headers": [], "body": {"json": {"article": 7}}},
           "response": {"status": 200, "headers": ["Content-Type: application/json"], "body": {"json": 1}}},
          {"request": {"method": "GET", "url": "https://shop.test/orders/1", "headers": []},
           "failure": {"code": "timedOut", "text": "the shop slept"}}]}
        """
    private static let shop = URL(string: "https://shop.test/")

    @Test func unrecordedRequestFailsWithTheDifference() async throws {
        let (recording, folder) = try recording(Self.orders)
        defer { folder.remove() }
        let manager = RequestOperationManager(baseURL: Self.shop, recording: recording)
        let error = await #expect(throws: NetworkingError.self) {
            let _: JSONValue = try await manager.post("orders", body: .json(["article": 8]))
        }
        #expect(error?.code == .invalidRequest)
        let text = try #require(error?.description)
        #expect(text.contains("shop.json has no POST https://shop.test/orders."))
        #expect(text.contains(#"- body: {"article":7}"#))
        #expect(text.contains(#"+ body: {"article":8}"#))
        let unplayed = #expect(throws: UnplayedExchanges.self) { try recording.expectAllPlayed() }
        #expect(
            unplayed?.description == """
                shop.json has requests that were not sent:
                  - POST https://shop.test/orders
                  - GET https://shop.test/orders/1
                """)
    }

    @Test func exchangeIsPlayedOnce() async throws {
        let (recording, folder) = try recording(Self.orders)
        defer { folder.remove() }
        let manager = RequestOperationManager(baseURL: Self.shop, recording: recording)
        let first: JSONValue = try await manager.post("orders", body: .json(["article": 7]))
        #expect(first == .integer(1))
        let error = await #expect(throws: NetworkingError.self) {
            let _: JSONValue = try await manager.post("orders", body: .json(["article": 7]))
        }
        #expect(error?.description.contains("the only one was already played") == true)
    }

    @Test func bodyNeedNotMatch() async throws {
        let (recording, folder) = try recording(Self.orders, matching: .methodAndURL)
        defer { folder.remove() }
        let manager = RequestOperationManager(baseURL: Self.shop, recording: recording)
        let value: JSONValue = try await manager.post("orders", body: .json(["article": 8]))
        #expect(value == .integer(1))
        let error = await #expect(throws: NetworkingError.self) { let _: JSONValue = try await manager.get("orders/1") }
        #expect(error?.code == .timedOut)
        try recording.expectAllPlayed()
    }

    @Test func fileThatIsNoRecordingIsRefused() throws {
        for text in ["", "[]", #"{"bluebonnetRecording": 2, "exchanges": []}"#, #"{"exchanges": 1}"#] {
            let error = #expect(throws: NetworkingError.self) { _ = try self.recording(text) }
            #expect(error?.code == .cannotReadFile)
        }
        let missing = URL(fileURLWithPath: "/nowhere/shop.json")
        #expect(throws: NetworkingError.self) { _ = try TrafficRecording(file: missing) }
        #expect(try !TrafficRecording(file: missing, mode: .recordIfMissing).isPlayed)
    }

    @Test func unwritableFileIsReported() async throws {
        let server = try await TestServer.start { _ in
            .response(headers: ["Content-Type": "application/json"], body: "1")
        }
        let recording = try TrafficRecording(file: URL(fileURLWithPath: "/nowhere/shop.json"), mode: .record)
        let manager = RequestOperationManager(baseURL: server.url(), recording: recording)
        let value: JSONValue = try await manager.get("a")
        #expect(value == .integer(1))
        let error = #expect(throws: NetworkingError.self) { try recording.expectAllPlayed() }
        #expect(error?.code == .cannotWriteFile)
        await server.stop()
    }

    // MARK: Redaction

    @Test func redactionFindsNamesAtAnyDepth() throws {
        var exchange = RecordedExchange(
            SentRequest(
                "POST", try #require(URL(string: "https://ada:pw@shop.test/a?x=1&Token=t%20u&flag")),
                headers: ["Content-Type": "application/json", "x-api-key": "k", "Accept": "*/*"],
                body: Data(#"{"a": [{"PASSWORD": "p", "n": null}], "token": {"deep": 1}}"#.utf8)))
        var redaction = RecordingRedaction.standard
        redaction.change = { $0.request.headers.removeAll { $0.name == "Accept" } }
        exchange = redaction.apply(to: exchange)
        #expect(exchange.request.url == "https://ada:REDACTED@shop.test/a?x=1&Token=REDACTED&flag")
        #expect(exchange.request.headers.map(\.value) == ["application/json", "REDACTED"])
        #expect(
            exchange.request.body
                == .json(
                    .object([
                        "a": .array([.object(["PASSWORD": .string("REDACTED"), "n": .null])]),
                        "token": .string("REDACTED"),
                    ])))
    }

    @Test(
        arguments: [
            (Data(), nil, "{}"), (Data("hi".utf8), "text/plain", #"{"text":"hi"}"#),
            (Data([0xFF]), "text/plain", #"{"base64":"\/w=="}"#),
            (Data("[1]".utf8), "application/problem+json", #"{"json":[1]}"#),
            (Data("[1".utf8), "application/json", #"{"text":"[1"}"#), (Data([0]), nil, #"{"base64":"AA=="}"#),
            (Data("null".utf8), "application/json", #"{"json":null}"#),
        ] as [(Data, String?, String)])
    func bodyIsRecordedInItsMostReadableForm(data: Data, type: String?, form: String) throws {
        let body = RecordedBody(data, type: type)
        #expect(String(decoding: try JSONEncoder().encode(body), as: UTF8.self) == form)
        #expect(try JSONDecoder().decode(RecordedBody.self, from: Data(form.utf8)) == body)
        #expect(body.data == data)
    }
}
