// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct HTTPSessionManagerTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())
    private let manager: HTTPSessionManager

    init() {
        manager = HTTPSessionManager(network.session())
        network.answerOthers { request in
            request.url.path == "/missing"
                ? [.head(404)] : [.head(200, ["Content-Type": "application/json"]), .body("{\"a\":1}")]
        }
    }

    private var success: HTTPSessionManager.Success {
        { [seen] task, object in seen.append("\((object as? JSONValue)?["a"]?.integer ?? 0) \(task.state)") }
    }

    private var failure: HTTPSessionManager.Failure {
        { [seen] task, error in seen.append("\(error.code.rawValue) \(task.state)") }
    }

    @Test func callsSendTheirMethodsAndParameters() async {
        let parameters: Parameters = ["x": 1]
        let tasks = [
            manager.get("a", parameters: parameters, success: success),
            manager.head("a", parameters: parameters, success: { [seen] task in seen.append("1 \(task.state)") }),
            manager.post("a", parameters: parameters, success: success),
            manager.put("a", parameters: parameters, success: success),
            manager.patch("a", parameters: parameters, success: success),
            manager.delete("a", parameters: parameters, success: success),
        ]
        for task in tasks { await task.ends() }
        #expect(seen.value == Array(repeating: "1 completed", count: 6))
        let requests = network.log.requests.sorted { $0.method < $1.method }
        #expect(requests.map(\.method) == ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"])
        #expect(requests.map { $0.url.query ?? "" } == ["x=1", "x=1", "x=1", "", "", ""])
        for request in requests.suffix(3) {
            guard case .data(let data) = request.body else {
                Issue.record("no body")
                continue
            }
            #expect(data == Data("x=1".utf8))
        }
    }

    @Test func headersOfTheCallOverrideTheConfiguration() async {
        let manager = HTTPSessionManager(
            network.session {
                $0.headers["X-A"] = "configuration"
                $0.headers["X-B"] = "configuration"
            })
        await manager.get("a", headers: ["X-B": "call"], success: success).ends()
        let fields = network.log.requests.first?.headers ?? []
        #expect(fields.filter { $0.name == "X-A" }.map(\.value) == ["configuration"])
        #expect(fields.filter { $0.name == "X-B" }.map(\.value) == ["call"])
    }

    @Test func failureIsReportedWithItsTask() async {
        await manager.get("missing", success: success, failure: failure).ends()
        #expect(seen.value == ["unacceptableStatus completed"])
    }

    @Test func invalidRequestFailsThroughTheHandler() async {
        await manager.post("http://", parameters: ["x": 1], success: success, failure: failure).ends()
        await manager.get("a", headers: ["X": "a\r\nb"], success: success, failure: failure).ends()
        #expect(seen.value == ["badURL completed", "invalidRequest completed"])
        #expect(network.log.requests.isEmpty)
    }

    @Test func multipartFormIsAnUploadTask() async {
        let task = manager.post("a", parameters: ["name": "x"]) { form in
            try form.append(Data("file".utf8), name: "f", fileName: "f.txt", contentType: "text/plain")
        } success: { [success] task, object in
            success(task, object)
        }
        #expect(task.kind == .upload)
        await task.ends()
        #expect(seen.value == ["1 completed"])
        let type = network.log.requests.first?.headers.first { $0.name == "Content-Type" }?.value
        #expect(type?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func formErrorFailsTheTask() async {
        struct Refusal: Error {}
        let build: @Sendable (inout MultipartFormData) throws -> Void = { _ in throw Refusal() }
        await manager.post("a", constructingBody: build, success: success, failure: failure).ends()
        #expect(seen.value == ["invalidRequest completed"])
    }

    @Test func asyncCallsReturnTheResponse() async throws {
        let response = try await manager.get("a", parameters: ["x": 1])
        #expect((response.value as? JSONValue)?["a"]?.integer == 1)
        #expect(response.url.absoluteString == "http://scripted.test/a?x=1")
        try await manager.head("a")
        try await manager.post("a", parameters: ["x": 1])
        try await manager.post("a") { try $0.append("v", name: "n") }
        try await manager.put("a")
        try await manager.patch("a")
        try await manager.delete("a")
        #expect(network.log.requests.map(\.method) == ["GET", "HEAD", "POST", "POST", "PUT", "PATCH", "DELETE"])
        let error = await #expect(throws: NetworkingError.self) { try await manager.get("missing") }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func taskOfACustomMethodStartsSuspended() async {
        let task = manager.dataTask("REPORT", "a", success: success)
        #expect(task.state == .suspended)
        #expect(manager.dataTasks.count == 1)
        _ = await task.ran()
        #expect(network.log.requests.map(\.method) == ["REPORT"])
    }

    @Test(arguments: [("http://h/v1", "http://h/v1/"), ("http://h", "http://h"), ("http://h/v1?q", "http://h/v1/?q")])
    func baseURLGetsATrailingSlash(given: String, expected: String) {
        #expect(HTTPSessionManager(baseURL: URL(string: given)).baseURL?.absoluteString == expected)
    }

    @Test func managerWithoutABaseURLAcceptsAbsoluteURLs() async {
        #expect(HTTPSessionManager().baseURL == nil)
        let manager = HTTPSessionManager(SessionManager(network.manager(baseURL: nil), SessionConfiguration()))
        await manager.get("http://scripted.test/a", success: success).ends()
        await manager.get("a", success: success, failure: failure).ends()
        #expect(seen.value == ["1 completed", "badURL completed"])
    }

    @Test func archivedManagerIsRestored() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "http://h/v1/"), configuration: .ephemeral)
        manager.requestSerializer = JSONRequestSerializer()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.session.operationManager.transferOptions.maximumRedirectCount = 4
        let data = try JSONEncoder().encode(manager.archive())
        let archive = try JSONDecoder().decode(HTTPSessionManager.Archive.self, from: data)
        let made = HTTPSessionManager(archive: archive)
        #expect(made.baseURL?.absoluteString == "http://h/v1/")
        #expect(made.requestSerializer is JSONRequestSerializer)
        #expect(made.responseSerializer is HTTPResponseSerializer)
        #expect(made.session.operationManager.transferOptions.maximumRedirectCount == 4)
        let copy = manager.copied()
        #expect(copy.baseURL == manager.baseURL)
        #expect(copy.requestSerializer is JSONRequestSerializer)
    }

    @Test func managerWithACustomSerializerHasNoArchive() {
        struct Own: RequestSerializer {
            func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest { request }
        }
        let manager = HTTPSessionManager()
        manager.requestSerializer = Own()
        let error = #expect(throws: NetworkingError.self) { try manager.archive() }
        #expect(error?.message.contains("Own") == true)
        manager.requestSerializer = PropertyListRequestSerializer()
        manager.responseSerializer = DecodableResponseSerializer(Int.self)
        #expect(throws: NetworkingError.self) { try manager.archive() }
    }
}
