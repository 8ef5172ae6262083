// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationManagerTests {
    private let network = ScriptedNetwork()

    private func manager(_ base: String? = "http://scripted.test/") throws -> RequestOperationManager {
        let manager = network.manager(baseURL: try base.map { try #require(URL(string: $0)) })
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private func body(_ request: TransferRequest?) -> String? {
        guard case .data(let data)? = request?.body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

// MARK: - URLs

extension RequestOperationManagerTests {
    @Test(arguments: [
        ("http://h", "http://h"), ("http://h/", "http://h/"), ("http://h/v1", "http://h/v1/"),
        ("http://h/v1/", "http://h/v1/"), ("http://h/v1/x", "http://h/v1/x/"), ("http://h/v1?a=b", "http://h/v1/?a=b"),
        ("http://h/v1/?a=b", "http://h/v1/?a=b"), ("http://h:8080/v1", "http://h:8080/v1/"),
        ("http://h/a%2Fb", "http://h/a%2Fb/"),
    ])
    func baseURLPathEndsInSlash(given: String, expected: String) throws {
        let url = try manager(given).baseURL
        #expect(url?.absoluteString == expected)
    }

    @Test func managerNeedsNoBaseURL() throws {
        let manager = try manager(nil)
        #expect(manager.baseURL == nil)
        let request = try manager.request("GET", "http://h/a")
        #expect(request.url?.absoluteString == "http://h/a")
    }

    @Test(arguments: [
        ("http://h/v1/", "foo", "http://h/v1/foo"), ("http://h/v1", "foo", "http://h/v1/foo"),
        ("http://h/v1/", "foo?bar=baz", "http://h/v1/foo?bar=baz"), ("http://h/v1/", "/foo", "http://h/foo"),
        ("http://h/v1/", "foo/", "http://h/v1/foo/"), ("http://h/v1/", "/foo/", "http://h/foo/"),
        ("http://h/v1/", "http://other/foo/", "http://other/foo/"), ("http://h", "foo", "http://h/foo"),
        ("http://h/v1/", "../foo", "http://h/foo"), ("http://h/v1/", "./", "http://h/v1/"),
    ])
    func urlIsResolvedAgainstTheBase(base: String, url: String, expected: String) throws {
        let request = try manager(base).request("GET", url)
        #expect(request.url?.absoluteString == expected)
    }

    @Test(arguments: ["ftp://h/a", "http://", "http://h:99999/", "a b", "a\nb", "mailto:x@y"])
    func badURLFailsWithoutTouchingTheTransport(url: String) async throws {
        let failures = Observed([String]())
        let operation = try manager().get(url) { _, _ in
            failures.append("success")
        } failure: { _, error in
            failures.append(error.code.rawValue)
        }
        await failures.becomes { !$0.isEmpty }
        #expect(failures.value == ["badURL"])
        #expect(operation.isFinished)
        #expect(operation.error?.code == .badURL)
        #expect(network.log.requests.isEmpty)
    }

    @Test func relativeURLWithoutBaseIsBadURL() async throws {
        let operation = try manager(nil).started("GET", "foo")
        await operation.ends()
        #expect(operation.error?.code == .badURL)
        #expect(network.log.requests.isEmpty)
    }
}

// MARK: - Verbs

extension RequestOperationManagerTests {
    @Test func parametersGoIntoTheQueryOfGetHeadAndDelete() async throws {
        let manager = try manager()
        let operations = [
            manager.get("a", parameters: ["q": "1"], success: { _, _ in }),
            manager.head("a", parameters: ["q": "1"]) { _, _ in },
            manager.delete("a", parameters: ["q": "1"]) { _, _ in },
        ]
        for operation in operations { await operation.ends() }
        let requests = network.log.requests.sorted { $0.method < $1.method }
        #expect(requests.map(\.method) == ["DELETE", "GET", "HEAD"])
        for request in requests {
            #expect(request.url.absoluteString == "http://scripted.test/a?q=1")
            #expect(body(request) == nil)
        }
    }

    @Test func parametersGoIntoTheBodyOfPostPutAndPatch() async throws {
        let manager = try manager()
        let operations = [
            manager.post("a", parameters: ["q": "1"], success: { _, _ in }),
            manager.put("a", parameters: ["q": "1"]) { _, _ in },
            manager.patch("a", parameters: ["q": "1"]) { _, _ in },
        ]
        for operation in operations { await operation.ends() }
        let requests = network.log.requests.sorted { $0.method < $1.method }
        #expect(requests.map(\.method) == ["PATCH", "POST", "PUT"])
        for request in requests {
            #expect(request.url.absoluteString == "http://scripted.test/a")
            #expect(body(request) == "q=1")
            #expect(request.value(of: "Content-Type")?.hasPrefix("application/x-www-form-urlencoded") == true)
        }
    }

    @Test func customSerializerEncodesParametersNextToBody() async throws {
        let manager = try manager()
        manager.requestSerializer = ShoutingSerializer()
        let operation = manager.operation("POST", "a", parameters: ["q": "b"], body: .text("hi"))
        try await manager.run(operation)
        let request = try #require(network.log.requests.first)
        #expect(request.url.absoluteString == "http://scripted.test/a?Q=B")
        #expect(body(request) == "hi" && request.method == "POST")
    }

    @Test func serializerWithoutQueryRefusesParametersNextToBody() async throws {
        let manager = try manager()
        manager.requestSerializer = BodySerializer()
        let operation = manager.operation("POST", "a", parameters: ["q": "b"], body: .text("hi"))
        await #expect {
            try await manager.run(operation)
        } throws: {
            let error = $0 as? NetworkingError
            #expect(error?.message.contains("BodySerializer puts those of a GET into the body") == true)
            return error?.code == .invalidRequest
        }
        #expect(network.log.requests.isEmpty)
    }

    @Test func successHandlerReceivesOperationAndObject() async throws {
        let seen = Observed([String]())
        let operation = try manager().get("a") { operation, object in
            seen.append("\(operation.statusCode ?? 0) \(String(decoding: object as? Data ?? Data(), as: UTF8.self))")
        } failure: { _, error in
            seen.append("\(error)")
        }
        await seen.becomes { !$0.isEmpty }
        #expect(seen.value == ["200 fine"])
        #expect(operation.isFinished)
    }

    @Test func operationWithoutHandlersHasAnOutcome() async throws {
        network.answer("/a", with: [.head(500)])
        let operation = try manager().started("GET", "a")
        await operation.ends()
        #expect(operation.error?.code == .unacceptableStatus)
    }

    @Test func requestSerializerErrorFailsTheOperation() async throws {
        let manager = try manager()
        let date = manager.started("GET", "a", parameters: ["when": Date()])
        manager.requestSerializer = RefusingSerializer()
        let refused = manager.started("POST", "a", parameters: ["q": "1"])
        for operation in [date, refused] {
            await operation.ends()
            #expect(operation.error?.code == .invalidRequest)
        }
        #expect(refused.error?.underlying is RefusingSerializer.Refusal)
        #expect(network.log.requests.isEmpty)
    }
}

// MARK: - Shared components

extension RequestOperationManagerTests {
    @Test func defaultsAreFormRequestsAndJSONResponses() {
        let manager = RequestOperationManager()
        #expect(manager.requestSerializer is HTTPRequestSerializer)
        #expect(manager.responseSerializer is JSONResponseSerializer)
        #expect(manager.completionQueue == nil)
        #expect(manager.completionGroup == nil)
        #expect(RequestOperationManager.Configuration().maximumConcurrentTransferCount == 64)
        #expect(RequestOperationManager.Configuration().maximumConcurrentTransferCountPerOrigin == 64)
    }

    @Test func concurrencyLimitOfZeroTraps() async {
        await #expect(processExitsWith: .failure) {
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCount = 0
            _ = RequestOperationManager(configuration: configuration)
        }
    }

    @Test func settingsApplyToOperationsMadeLater() async throws {
        network.answer("/a", with: [.head(200, ["Content-Type": "application/json"]), .body("[1]")])
        let manager = try manager()
        let before = manager.operation(with: network.request("/a"))
        manager.responseSerializer = JSONResponseSerializer()
        manager.transferOptions.maximumBodyByteCount = 2
        let after = manager.operation(with: network.request("/a"))
        for operation in [before, after] {
            operation.start()
            await operation.ends()
        }
        #expect(before.responseObject as? Data == Data("[1]".utf8))
        #expect(after.error?.code == .bodyTooLarge)
    }

    @Test func createdOperationIsNotStarted() async throws {
        let manager = try manager()
        let operation = manager.operation(with: network.request("/a"))
        await NetworkThread.shared.catchesUp()
        #expect(manager.operationQueue.operationCount == 0)
        #expect(!operation.isExecuting && network.log.requests.isEmpty)
    }

    @Test func requestCanBeMadeFromOtherResults() async throws {
        network.answer("/login", with: [.head(200), .body("7")])
        let manager = try manager()
        let login = manager.operation(with: network.request("/login"))
        let user = manager.operation(after: [login]) {
            try manager.request("GET", "users/" + (login.responseString ?? ""))
        }
        manager.operationQueue.addOperations([user, login])
        await user.ends()
        #expect(network.log.entries.value.paths == ["/login", "/users/7"])
    }

    @Test func completionGroupEmptiesAfterEveryHandler() async throws {
        let (group, handlers) = (DispatchGroup(), Observed(0))
        let manager = try manager()
        manager.completionGroup = group
        let operations = (0..<20).map { number in manager.get("\(number)") { _, _ in handlers.increment() } }
        for operation in operations { await operation.ends() }
        await group.empties()
        #expect(handlers.value == 20)
    }

    @Test func handlersRunOnManagerQueue() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "mine")
        queue.setSpecific(key: key, value: "mine")
        let manager = try manager()
        manager.completionQueue = queue
        let seen = Observed([String?]())
        manager.get("a") { _, _ in seen.append(DispatchQueue.getSpecific(key: key)) }
        await seen.becomes(["mine"])
    }

    @Test func idleConnectionsAreClosedOnTheNetworkThread() async throws {
        try manager().closeIdleConnectionsOfProcess()
        await network.log.entries.becomes { $0.idleClosures == 1 }
    }
}

/// Refuses every request.
private struct RefusingSerializer: RequestSerializer {
    struct Refusal: Error {}

    func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest {
        throw Refusal()
    }
}

/// Writes all parameters into the body.
private struct BodySerializer: RequestSerializer {
    func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest {
        var request = request
        if let parameters { request.httpBody = Data("\(parameters.count)".utf8) }
        return request
    }
}

/// Writes parameters in capitals.
private struct ShoutingSerializer: RequestSerializer {
    func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest {
        guard let parameters else { return request }
        let pairs = parameters.map { ($0.key.uppercased(), "\($0.value)".uppercased() as any Sendable) }
        return try HTTPRequestSerializer().request(request, with: Dictionary(pairs) { first, _ in first })
    }
}
