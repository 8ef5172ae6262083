// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct AnsweringManagerTests {
    private struct User: Codable, Equatable, Sendable { var name: String }

    @Test func blockSeesTheRequestAsItWouldBeSent() async throws {
        let manager = RequestOperationManager { request in
            #expect(request.headers["Content-Type"] == "application/json")
            return .json(["echo": request.json?["name"]?.string ?? ""], status: 201)
        }
        manager.headers["X-Client"] = "kit"
        let answer = try await manager.post("users?a=b", body: .json(User(name: "Ada")), as: JSONValue.self)
        #expect(answer.statusCode == 201)
        #expect(answer.value == .object(["echo": .string("Ada")]))
        let sent = try #require(manager.sentRequests.first)
        #expect(manager.sentRequests.count == 1)
        #expect(sent.method == "POST")
        #expect(sent.url.absoluteString == "https://server.test/users?a=b")
        #expect(sent.target == "/users?a=b" && sent.path == "/users" && sent.queryValue(for: "a") == "b")
        #expect(sent.headers["X-Client"] == "kit")
        #expect(sent.headers["Accept"] != nil || sent.headers["User-Agent"] != nil)
    }

    @Test func jsonMayMixVariablesOfSeveralTypes() async throws {
        let (id, name, note) = (7, "Tea", String?.none)
        let manager = RequestOperationManager { _ in .json(["id": id, "name": name, "note": note]) }
        let value: JSONValue = try await manager.post("x", body: .json(["id": id, "name": name]))
        #expect(value == ["id": 7, "name": "Tea", "note": nil])
        try manager.expectSent(.post("/x", body: .json(["id": id, "name": name])))
        #expect(throws: SentRequestsDifference.self) {
            try manager.expectSent(.post("/x", body: .json(["id": id, "name": "Coffee"])))
        }
    }

    @Test func bodyIsDecodedAndStatusValidated() async throws {
        let manager = RequestOperationManager { request in
            request.path == "/ada" ? .json(User(name: "Ada")) : .text("no", status: 404)
        }
        let user: User = try await manager.get("ada")
        #expect(user == User(name: "Ada"))
        let error = await #expect(throws: NetworkingError.self) { let _: User = try await manager.get("bob") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.body == Data("no".utf8))
    }

    @Test func redirectIsFollowedWithoutCredentialsOfAnotherOrigin() async throws {
        let manager = RequestOperationManager { request in
            switch request.path {
            case "/old": .redirect(to: "/new", status: 301)
            case "/new": .redirect(to: "https://other.test/end", status: 307)
            default: .json(["path": request.path])
            }
        }
        manager.headers["Authorization"] = "Bearer t"
        let value: JSONValue = try await manager.get("old")
        #expect(value["path"] == .string("/end"))
        #expect(
            manager.sentRequests.map(\.url.absoluteString) == [
                "https://server.test/old", "https://server.test/new", "https://other.test/end",
            ])
        #expect(manager.sentRequests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t", nil])
    }

    @Test func blockSeesTheRequestFileAsBody() async throws {
        let file = try temporaryFile(Data(repeating: 7, count: 200_000))
        defer { try? FileManager.default.removeItem(at: file) }
        let manager = RequestOperationManager { .json(["count": $0.body.count]) }
        let value: JSONValue = try await manager.put("files/1", body: .file(file))
        #expect(value["count"] == .integer(200_000))
        #expect(manager.sentRequests.first?.body == Data(repeating: 7, count: 200_000))
    }

    @Test func headHasALengthAndNoBody() async throws {
        let manager = RequestOperationManager { _ in .text("four", type: "text/plain") }
        let operation = manager.operation("HEAD", "file")
        operation.responseSerializer = HTTPResponseSerializer()
        try await manager.run(operation)
        #expect(operation.responseHeaders["Content-Length"] == "4")
        #expect(operation.responseData?.isEmpty != false)
    }

    @Test func transferLimitHolds() async throws {
        let running = Peak()
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = 2
        let manager = RequestOperationManager(configuration: configuration) { _ in
            running.enter()
            for _ in 0..<20 { await Task.yield() }
            running.leave()
            return .json([1])
        }
        let operations = (0..<20).map { manager.operation("GET", "items/\($0)") }
        for operation in operations { manager.operationQueue.addOperation(operation) }
        for operation in operations { try await operation.waitUntilEnded() }
        #expect(manager.sentRequests.count == 20)
        #expect((1...2).contains(running.most))
    }

    @Test func dependentSeesTheResultOfItsDependency() async throws {
        let manager = RequestOperationManager { request in
            request.path == "/token" ? .json(["token": "t1"]) : .json(["sent": request.headers["X-Token"] ?? ""])
        }
        let first = manager.operation("GET", "token")
        let second = manager.operation(after: [first]) {
            let token = (first.responseObject as? JSONValue)?["token"]?.string
            var request = try manager.request("GET", "me")
            request.setValue(token, forHTTPHeaderField: "X-Token")
            return request
        }
        for operation in [second, first] { manager.operationQueue.addOperation(operation) }
        try await second.waitUntilEnded()
        #expect(manager.sentRequests.map(\.path) == ["/token", "/me"])
        #expect(manager.sentRequests.last?.headers["X-Token"] == "t1")
    }

    @Test func bodyIsJoinedFromItsPieces() async throws {
        let bytes = Data((0..<100_000).map { UInt8($0 % 251) })
        let manager = RequestOperationManager { _ in .data(bytes).inPieces(ofByteCount: 999) }
        #expect(try await manager.get("bytes").value == bytes)
    }

    @Test func managerWithoutABlockHasNoRequests() {
        #expect(RequestOperationManager().sentRequests.isEmpty)
    }

    @Test func managersHaveSeparateSentRequests() async throws {
        let (first, second) = (RequestOperationManager { _ in .json([1]) }, RequestOperationManager { _ in .json([2]) })
        let value: JSONValue = try await first.get("a")
        #expect(value[0] == .integer(1))
        #expect(second.sentRequests.isEmpty)
    }
}
