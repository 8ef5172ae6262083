// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The steps of calls, and their accepted statuses, requests, URLs, JSON bodies and limits.
@Suite(.timeLimit(.minutes(1))) struct CallTests {
    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        manager.responseSerializer = HTTPResponseSerializer()
        network.answer("/missing", with: [.head(404, ["Content-Type": "application/json"]), .body("{}")])
        network.answer("/moved", with: [.head(302, ["Location": "/here"]), .body("moved")])
        network.answer("/here", with: [.head(200), .body("here")])
    }

    // MARK: - Accepted statuses

    typealias Form = @Sendable (RequestOperationManager, IndexSet?) async throws -> Int

    private static let forms: [String: Form] = [
        "value": { manager, codes in
            let value: JSONValue = try await manager.get("missing", acceptableStatusCodes: codes)
            return value == [:] ? 404 : 0
        },
        "response": { try await $0.get("missing", acceptableStatusCodes: $1, as: JSONValue.self).statusCode },
        "bytes": { try await $0.post("missing", body: .text("x"), acceptableStatusCodes: $1).statusCode },
        "handle": { manager, codes in
            let handle = manager.put("missing", acceptableStatusCodes: codes, returning: JSONResponseSerializer())
            _ = try await handle.value
            return handle.operation.statusCode ?? 0
        },
        "callback": { manager, codes in
            let operation = manager.patch("missing", acceptableStatusCodes: codes, success: { _, _ in })
            _ = try await operation.value
            return operation.statusCode ?? 0
        },
        "operation": { manager, codes in
            let operation = manager.operation("GET", "missing", acceptableStatusCodes: codes)
            try await manager.run(operation)
            return operation.statusCode ?? 0
        },
        "after": { manager, codes in
            let first = manager.get("here", returning: StringResponseSerializer())
            var call = manager.call("DELETE", "missing").after(first) { request, text in
                request.setValue(text, forHTTPHeaderField: "X-Text")
            }
            if let codes { call = call.acceptableStatusCodes(codes) }
            let handle = call.start()
            _ = try await handle.value
            return handle.operation.statusCode ?? 0
        },
        "compound": { manager, codes in
            let serializer = CompoundResponseSerializer([JSONResponseSerializer(), HTTPResponseSerializer()])
            let handle = manager.get("missing", acceptableStatusCodes: codes, returning: serializer)
            _ = try await handle.value
            return handle.operation.statusCode ?? 0
        },
    ]

    @Test(arguments: forms.keys.sorted()) func callAcceptsItsStatuses(form: String) async throws {
        let call = try #require(Self.forms[form])
        #expect(try await call(manager, [404]) == 404)
        #expect(try await call(manager, .anyStatus) == 404)
        for codes in [nil, [200, 500]] as [IndexSet?] {
            let error = await #expect(throws: NetworkingError.self) { try await call(manager, codes) }
            #expect(error?.code == .unacceptableStatus && error?.statusCode == 404)
        }
    }

    // MARK: - Steps

    /// Each step, and its effect on an operation and its request.
    private static let steps:
        [(name: String, step: @Sendable (Call) -> Call, holds: @Sendable (HTTPRequestOperation) -> Bool)] = [
            ("parameters", { $0.parameters(["a": 1]) }, { $0.request?.url?.query == "a=1" }),
            (
                "header", { $0.header("X-A", "1").header("x-a", "2") },
                { $0.request?.value(forHTTPHeaderField: "X-A") == "2" }
            ),
            (
                "headers", { $0.header("X-B", "1").headers(["x-b": "2", "x-b": "3"]) },
                { $0.request?.value(forHTTPHeaderField: "X-B") == "2, 3" }
            ),
            ("body", { $0.body(.text("b")) }, { $0.request?.httpBody == Data("b".utf8) }),
            ("timeout", { $0.timeout(.seconds(3)) }, { $0.timeouts.total == .seconds(3) }),
            ("priority", { $0.priority(.veryLow) }, { $0.queuePriority == .veryLow }),
            (
                "acceptableStatusCodes", { $0.acceptableStatusCodes([404]) },
                { $0.state.plan.serializer?.statusCodesOfCall == [404] }
            ),
            ("configure", { $0.configure { $0.name = "a" }.configure { $0.name? += "b" } }, { $0.name == "ab" }),
        ]

    @Test func everyStepReachesTheOperationWithoutChangingTheCall() {
        let call = manager.call("here")
        for (name, step, holds) in Self.steps {
            #expect(!holds(call.operation()), "\(name)")
            #expect(holds(step(call).operation()), "\(name)")
        }
        // With parameters and a body, the request is made when the operation starts.
        let others = Self.steps.dropFirst()
        let all = others.reduce(manager.call("PUT", "here")) { $1.step($0) }.operation()
        #expect(all.request?.httpMethod == "PUT")
        for (name, _, holds) in others { #expect(holds(all), "\(name)") }
    }

    @Test func eachRunOfCallCreatesAnOperation() async throws {
        let call = manager.call("here")
        #expect(try await call.value(as: String.self) == "here")
        #expect(try await call.response(as: String.self).value == "here")
        #expect(try await call.response().value == Data("here".utf8))
        #expect(call.operation() !== call.operation())
        #expect(network.log.requests.count == 3)
    }

    @Test func preparationsRunInTheOrderOfTheSteps() async throws {
        let here = manager.get("here", returning: StringResponseSerializer())
        let handle = manager.call("here").after(here) { request, text in
            request.setValue(text, forHTTPHeaderField: "X-A")
        }
        .after(here.map(\.count)) { request, count in request.addValue("\(count)", forHTTPHeaderField: "X-A") }
        .start(returning: StringResponseSerializer())
        _ = try await handle.value
        #expect(network.log.requests.last?.value(of: "X-A") == "here,4")
    }

    @Test func missingResultSkipsTheCall() async throws {
        let missing = manager.get("missing", returning: StringResponseSerializer())
        let error = await #expect(throws: NetworkingError.self) {
            try await manager.call("here").after(missing) { _, _ in }.response()
        }
        #expect(error?.code == .dependencyFailed)
        #expect(network.log.requests.count == 1)
    }

    /// A request without a URL is an error, whatever its source: a program may take the URL from a response.
    @Test func requestWithoutURLFails() async throws {
        var none = URLRequest(url: ScriptedNetwork.url("/"))
        none.url = nil
        let here = manager.get("here", returning: StringResponseSerializer())
        let operations = [
            manager.operation(with: none),
            manager.operation(after: [here.operation], makeRequest: { [none] in none }),
            manager.call("here").after(here) { request, _ in request.url = nil }.operation(),
            HTTPRequestOperation(makeRequest: { [none] in none }),
        ]
        for operation in operations {
            let error = await #expect(throws: NetworkingError.self) { try await manager.run(operation) }
            #expect(error?.code == .badURL)
        }
        #expect(network.log.requests.count == 1)
    }

    @Test(arguments: ["get", "head", "post", "put", "delete"]) func lowercaseMethodIsSentInUppercase(
        method: String
    ) async throws {
        try await manager.call(method, "here").response()
        try await manager.run(manager.operation(with: HTTPRequest(method, url: ScriptedNetwork.url("/here"))))
        #expect(network.log.requests.map(\.method) == [method.uppercased(), method.uppercased()])
    }

    @Test func customRequestIsSentUnchanged() async throws {
        manager.headers["X-Manager"] = "1"
        let headers: HeaderFields = ["X-B": "1", "X-A": "2", "X-B": "3"]
        let request = HTTPRequest("PUT", url: ScriptedNetwork.url("/here"), headers: headers, body: Data("b".utf8))
        let operation = manager.operation(with: request)
        #expect(operation.request?.allHTTPHeaderFields == ["X-B": "1, 3", "X-A": "2"])
        try await manager.run(operation)
        let sent = try #require(network.log.requests.first)
        #expect(sent.method == "PUT" && sent.body.byteCount == 1)
        #expect(sent.headers.prefix(3).map { "\($0.name): \($0.value)" } == ["X-B: 1", "X-A: 2", "X-B: 3"])
        #expect(sent.value(of: "X-Manager") == nil)
    }

    @Test func customRequestIsValidated() async throws {
        let (here, ftp) = (ScriptedNetwork.url("/here"), try #require(URL(string: "ftp://scripted.test/")))
        let refused: [(HTTPRequest, NetworkingError.Code)] = [
            (HTTPRequest(url: here, headers: ["X": "a\r\nb"]), .invalidRequest),
            (HTTPRequest("G T", url: here), .invalidRequest), (HTTPRequest(url: ftp), .badURL),
            (HTTPRequest("HEAD", url: here, body: Data("b".utf8)), .invalidRequest),
        ]
        for (request, code) in refused {
            let error = await #expect(throws: NetworkingError.self) {
                try await manager.run(manager.operation(with: request))
            }
            #expect(error?.code == code, "\(request)")
        }
        #expect(network.log.requests.isEmpty)
    }

    // MARK: - Redirects that are not followed

    @Test func unfollowedRedirectIsTheResponse() async throws {
        let response = try await manager.call("moved").configure { $0.options.maximumRedirectCount = 0 }.response()
        #expect(response.statusCode == 302 && response.headers["Location"] == "/here")
        #expect(response.value == Data("moved".utf8))
        let refused = await #expect(throws: NetworkingError.self) {
            try await manager.call("missing").configure { $0.options.maximumRedirectCount = 0 }.response()
        }
        #expect(refused?.code == .unacceptableStatus)
        #expect(try await manager.get("moved").value == Data("here".utf8))
    }

    /// The statuses of the call apply, even if no redirect is followed.
    @Test func callWithStatusesRejectsUnfollowedRedirect() async throws {
        let error = await #expect(throws: NetworkingError.self) {
            try await manager.call("moved").acceptableStatusCodes([200])
                .configure { $0.options.maximumRedirectCount = 0 }.response()
        }
        #expect(error?.statusCode == 302)
    }

    @Test func acceptedStatusesAreArchived() async throws {
        let operation = manager.operation("GET", "missing", acceptableStatusCodes: [200, 404])
        let data = try JSONEncoder().encode(try await operation.archive())
        let archive = try JSONDecoder().decode(OperationArchive.self, from: data)
        let restored = try manager.operation(with: archive)
        try await manager.run(restored)
        #expect(restored.statusCode == 404)
    }

    @MainActor @Test func callCanBeConfiguredOnMainActor() async throws {
        let limit = 0
        let response = try await manager.call("moved").configure { $0.options.maximumRedirectCount = limit }.response()
        #expect(response.statusCode == 302)
    }

    // MARK: - URLs

    @Test func callsAcceptURLs() async throws {
        let url = try #require(URL(string: "here?a=1", relativeTo: ScriptedNetwork.url("/")))
        #expect(try await manager.get(url).value == Data("here".utf8))
        let relative = try #require(URL(string: "here"))
        #expect(try await manager.get(relative).value == Data("here".utf8))
        #expect(network.log.requests.map(\.url.relativeString).map { $0.hasSuffix("here?a=1") } == [true, false])
    }

    @Test(arguments: [
        ("http://h.test/v1/", "http://h.test/v1/"), ("http://h.test/v1", "http://h.test/v1"),
        ("http://h.test/v1/?a=1#f", "http://h.test/v1/?a=1"), ("http://h.test", "http://h.test"),
    ])
    func emptyPathIsTheBaseURL(base: String, expected: String) throws {
        let manager = RequestOperationManager(baseURL: try #require(URL(string: base)))
        #expect(try manager.request("GET", "").url?.absoluteString == expected)
    }

    @Test func emptyPathCallsTheBaseURL() async throws {
        let manager = network.manager(baseURL: ScriptedNetwork.url("/graphql"))
        network.answer("/graphql", with: [.head(200)])
        try await manager.post("", body: .text("query"))
        try await manager.copied().get("")
        #expect(network.log.requests.map(\.url.path) == ["/graphql", "/graphql"])
    }

    // MARK: - JSON

    @Test func jsonBodyMembersCanBeVariablesOfSeveralTypes() async throws {
        let (id, note, count) = (7, String?.none, 2.5)
        network.answerOthers { _ in [.head(200)] }
        for body in [
            RequestBody.json(["article": id, "note": note, "count": count, "tags": ["a", "b"], "nothing": nil]),
            .json(["article": 7, "note": nil, "count": 2.5, "tags": ["a", "b"], "nothing": nil]),
        ] {
            try await manager.post("x", body: body)
            guard case .data(let data)? = network.log.requests.last?.body else {
                Issue.record("no body")
                return
            }
            let sent = try JSONValue(parsing: data)
            #expect(sent == ["article": 7, "note": nil, "count": 2.5, "tags": ["a", "b"], "nothing": nil])
        }
    }

    @Test func jsonBodyKeysIgnoreTheEncoderStrategy() async throws {
        let id = 7
        manager.encoder = JSONEncoder()
        manager.encoder.keyEncodingStrategy = .convertToSnakeCase
        network.answerOthers { _ in [.head(200)] }
        try await manager.post("x", body: .json(["userId": id, "note": nil]))
        guard case .data(let data)? = network.log.requests.last?.body else {
            Issue.record("no body")
            return
        }
        #expect(try JSONValue(parsing: data) == ["userId": 7, "note": nil])
    }

    @Test func emptyPathWithoutBaseURLFails() {
        let error = #expect(throws: NetworkingError.self) { try RequestOperationManager().request("GET", "") }
        #expect(error?.code == .badURL)
    }

    @Test func relativeURLErrorNamesMissingBase() {
        let error = #expect(throws: NetworkingError.self) { try RequestOperationManager().request("GET", "login") }
        #expect(
            error?.message == "the URL \"login\" has no scheme, and there is no absolute base URL to resolve it against"
        )
    }

    // MARK: - Limits

    @Test(arguments: [nil, 3]) func originLimitDefaultsToTotalLimit(own: Int?) {
        var (manager, session) = (RequestOperationManager.Configuration(), SessionConfiguration())
        #expect(manager.maximumConcurrentTransferCountPerOrigin == 64)
        #expect(session.maximumConcurrentTransferCountPerOrigin == 64)
        (manager.maximumConcurrentTransferCount, session.maximumConcurrentTransferCount) = (200, 200)
        if let own {
            manager.maximumConcurrentTransferCountPerOrigin = own
            session.maximumConcurrentTransferCountPerOrigin = own
        }
        #expect(manager.maximumConcurrentTransferCountPerOrigin == own ?? 200)
        #expect(session.maximumConcurrentTransferCountPerOrigin == own ?? 200)
        var copy = RequestOperationManager(configuration: manager).configuration
        #expect(copy.maximumConcurrentTransferCountPerOrigin == own ?? 200)
        copy.maximumConcurrentTransferCount = 300
        #expect(copy.maximumConcurrentTransferCountPerOrigin == own ?? 300)
    }
}
