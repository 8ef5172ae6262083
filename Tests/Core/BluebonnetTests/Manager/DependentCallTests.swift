// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Dependent calls accept everything that other calls accept. This file does not import FoundationNetworking: a
/// program that names `URLRequest` in a closure does not need the import either.
@Suite(.timeLimit(.minutes(1))) struct DependentCallTests {
    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager
    private let text = StringResponseSerializer()

    init() {
        manager = network.manager()
        network.answer("/token", with: [.head(200), .body("t")])
        network.answer("/bad", with: [.fail(.timedOut)])
    }

    private func sent(_ path: String) throws -> TransferRequest {
        try #require(network.log.requests.first { $0.url.path == path })
    }

    private func body(_ path: String) throws -> String? {
        guard case .data(let data) = try sent(path).body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func everyMethodAcceptsAllCallSettings(method: String) async throws {
        var call = manager.call(method, "me").parameters(["a": 1]).header("X-One", "1").timeout(.seconds(9))
            .priority(.high).configure { $0.name = "mine" }
        if !["GET", "HEAD"].contains(method) { call = call.body(.text("body")) }
        let handle = call.after(manager.get("token", returning: text)) { request, token in
            request.setValue(token, forHTTPHeaderField: "X-Token")
        }.start(returning: text)
        #expect(handle.operation.name == "mine" && handle.operation.queuePriority == .high)
        #expect(handle.operation.timeouts.total == .seconds(9))
        _ = try await handle.value
        let request = try sent("/me")
        #expect(request.method == method && request.url.query == "a=1")
        #expect(request.value(of: "X-One") == "1" && request.value(of: "X-Token") == "t")
        #expect(try body("/me") == (["GET", "HEAD"].contains(method) ? nil : "body"))
    }

    @Test func closureWithSeveralSourcesNeedsNoFoundationNetworkingImport() async throws {
        let token = manager.get("token", returning: text)
        let parts = ["a", "b"].map { manager.get($0, returning: text) }
        let page = manager.call("page").after(token, parts.all) { request, token, parts in
            request.setValue("\(token) \(parts.count)", forHTTPHeaderField: "X-All")
        }.start(returning: text)
        _ = try await page.value
        #expect(try sent("/page").value(of: "X-All") == "t 2")
    }

    @Test func closureCanReplaceTheBody() async throws {
        let token = manager.get("token", returning: text)
        let form = manager.call("POST", "form").header("X-One", "1").body(.json(["a": 1]))
        let handle = form.after(token) { request, token in
            #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
            request.setValue("2", forHTTPHeaderField: "X-One")
            request.httpBody = Data("other".utf8)
        }.start(returning: text)
        _ = try await handle.value
        #expect(try body("/form") == "other" && sent("/form").value(of: "X-One") == "2")
    }

    @Test func fileIsTheBody() async throws {
        let folder = try DownloadFolder()
        defer { folder.remove() }
        try Data("from disk".utf8).write(to: URL(fileURLWithPath: folder.path))
        let token = manager.get("token", returning: text)
        let file = RequestBody.file(URL(fileURLWithPath: folder.path), contentType: "text/x")
        let handle = manager.call("PUT", "file").body(file).after(token) { request, token in
            request.setValue(token, forHTTPHeaderField: "X-Token")
        }.start(returning: text)
        _ = try await handle.value
        let request = try sent("/file")
        #expect(request.body.byteCount == 9 && request.value(of: "Content-Type") == "text/x")
        #expect(request.value(of: "X-Token") == "t")
    }

    @Test func managerSettingsAreCapturedWhenCallIsMade() async throws {
        manager.headers["X-Client"] = "first"
        let handle = manager.call("me").after(manager.get("token", returning: text)) { _, _ in }.start(returning: text)
        manager.headers["X-Client"] = "second"
        _ = try await handle.value
        #expect(try sent("/me").value(of: "X-Client") == "first")
    }

    @Test func requestCreationFailureIsTheError() async throws {
        let token = manager.get("token", returning: text)
        let handle = manager.call("me").headers(["X": "a\nb"]).after(token) { _, _ in }.start(returning: text)
        let error = await #expect(throws: NetworkingError.self) { try await handle.value }
        #expect(error?.code == .invalidRequest)
        #expect(network.log.entries.value.paths == ["/token"])
    }

    @Test func callAfterAFailureIsSkipped() async throws {
        let bad = manager.get("bad", returning: text)
        let handle = manager.call("POST", "me").body(.text("x")).after(bad) { _, _ in }.start(returning: text)
        let error = await #expect(throws: NetworkingError.self) { try await handle.value }
        #expect(error?.code == .dependencyFailed)
    }

    @Test func wholeRequestsAcceptTimeoutPriorityAndConfigureClosure() async throws {
        let token = manager.get("token", returning: text)
        let handle = manager.call("any").timeout(.seconds(8)).priority(.low).configure { $0.name = "whole" }
            .after(token) { request, token in request.url = ScriptedNetwork.url("/whole-\(token)") }
            .start(returning: text)
        #expect(handle.operation.timeouts.total == .seconds(8) && handle.operation.queuePriority == .low)
        #expect(handle.operation.name == "whole")
        let later = manager.operation(
            after: [handle.operation], timeout: .seconds(7), priority: .high, responseSerializer: text,
            configure: { $0.name = "later" }, makeRequest: { URLRequest(url: ScriptedNetwork.url("/later")) })
        #expect(later.timeouts.total == .seconds(7) && later.queuePriority == .high && later.name == "later")
        try await manager.run(later)
        #expect(network.log.entries.value.paths == ["/token", "/whole-t", "/later"])
    }
}
