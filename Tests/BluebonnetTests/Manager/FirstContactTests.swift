// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Calls do what they look like, and say what they have done.
@Suite(.timeLimit(.minutes(1))) struct FirstContactTests {
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

    typealias Call = @Sendable (RequestOperationManager, IndexSet?) async throws -> Int

    private static let calls: [String: Call] = [
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
            let handle = manager.delete(
                "missing", acceptableStatusCodes: codes, after: first, returning: JSONResponseSerializer()
            ) { request, text in request.setValue(text, forHTTPHeaderField: "X-Text") }
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

    @Test(arguments: calls.keys.sorted()) func aCallAcceptsTheStatusesThatItNames(form: String) async throws {
        let call = try #require(Self.calls[form])
        #expect(try await call(manager, [404]) == 404)
        #expect(try await call(manager, .anyStatus) == 404)
        for codes in [nil, [200, 500]] as [IndexSet?] {
            let error = await #expect(throws: NetworkingError.self) { try await call(manager, codes) }
            #expect(error?.code == .unacceptableStatus && error?.statusCode == 404)
        }
    }

    // MARK: - Redirects that are not followed

    @Test func aRedirectThatIsNotFollowedIsTheResponse() async throws {
        let response = try await manager.get("moved") { $0.options.maximumRedirectCount = 0 }
        #expect(response.statusCode == 302 && response.headers["Location"] == "/here")
        #expect(response.value == Data("moved".utf8))
        let refused = await #expect(throws: NetworkingError.self) {
            _ = try await manager.get("missing") { $0.options.maximumRedirectCount = 0 }
        }
        #expect(refused?.code == .unacceptableStatus)
        #expect(try await manager.get("moved").value == Data("here".utf8))
    }

    /// What the call says counts, also where no redirect is followed.
    @Test func aCallThatNamesItsStatusesAcceptsNoRedirectBesides() async throws {
        let error = await #expect(throws: NetworkingError.self) {
            try await manager.get("moved", acceptableStatusCodes: [200]) { $0.options.maximumRedirectCount = 0 }
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

    @MainActor @Test func callsOfTheMainActorMayBeConfigured() async throws {
        let limit = 0
        let response = try await manager.get("moved") { $0.options.maximumRedirectCount = limit }
        #expect(response.statusCode == 302)
    }

    // MARK: - URLs

    @Test func callsTakeAURLAsTheyTakeItsText() async throws {
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
    func theEmptyTextIsTheBaseURL(base: String, expected: String) throws {
        let manager = RequestOperationManager(baseURL: try #require(URL(string: base)))
        #expect(try manager.request("GET", "").url?.absoluteString == expected)
    }

    @Test func anEndpointIsCalledByTheEmptyText() async throws {
        let manager = network.manager(baseURL: ScriptedNetwork.url("/graphql"))
        network.answer("/graphql", with: [.head(200)])
        try await manager.post("", body: .text("query"))
        try await manager.copied().get("")
        #expect(network.log.requests.map(\.url.path) == ["/graphql", "/graphql"])
    }

    // MARK: - JSON

    @Test func membersOfAJSONBodyMayHaveSeveralTypesAndComeFromVariables() async throws {
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

    @Test func namesOfMembersStayWhateverTheEncoderDoes() async throws {
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

    @Test func theEmptyTextWithoutABaseURLIsNoURL() {
        let error = #expect(throws: NetworkingError.self) { try RequestOperationManager().request("GET", "") }
        #expect(error?.code == .badURL)
    }

    @Test func aURLWithoutASchemeSaysThatThereIsNoBase() {
        let error = #expect(throws: NetworkingError.self) { try RequestOperationManager().request("GET", "login") }
        #expect(
            error?.message == "the URL \"login\" has no scheme, and there is no absolute base URL to resolve it against"
        )
    }

    // MARK: - Limits

    @Test(arguments: [nil, 3]) func limitOfAnOriginIsTheLimitInAllUnlessItIsSet(own: Int?) {
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

    // MARK: - Texts

    @Test func aResponseReadsLikeASentenceWithoutSecrets() async throws {
        network.answer(
            "/token", with: [.head(200, ["Content-Type": "application/json"]), .body(#"{"token":"t","a":1}"#)])
        let response = try await manager.get("token?api_key=s", as: JSONValue.self)
        let text = "\(response)"
        #expect(text.hasPrefix("200 (GET http://scripted.test/token?api_key=REDACTED), "), "\(text)")
        #expect(text.hasSuffix(#" ms: {"a":1,"token":"REDACTED"}"#), "\(text)")
        #expect("\(try await manager.get("here"))".hasSuffix(" ms: 4 bytes"))
        #expect("\(try await manager.get("here", as: String.self))".hasSuffix(" ms: String"))
    }

    @Test func timingsNameThePhasesThatTookTime() {
        var timings = TransferTimings()
        #expect("\(timings)" == "total 0.0 ms")
        timings.nanoseconds.connect = 1_260_000
        timings.nanoseconds.firstByte = 12_000_000_000
        timings.nanoseconds.total = 12_345_000_000
        #expect("\(timings)" == "connect 1.3 ms, first byte 12.0 s, total 12.3 s")
        var summary = TransferSummary()
        (summary.attemptCount, summary.redirectCount, summary.isReused, summary.timings) = (2, 1, true, timings)
        #expect("\(summary)" == "2 attempts, 1 redirect, kept connection; \(timings)")
    }

    @Test(arguments: [
        (RequestBody.json(["password": "geheim"]), "JSON"), (.form(["password": "geheim"]), "a form"),
        (.multipart(["password": "geheim"]), "a multipart form"),
        (.text("geheim"), "6 bytes of text/plain; charset=utf-8"),
        (.file(URL(fileURLWithPath: "/tmp/a.bin")), "the file /tmp/a.bin"),
    ])
    func aBodySaysWhatItIsAndNotWhatIsInIt(body: RequestBody, text: String) {
        #expect("\(body)" == text)
        var dumped = ""
        dump(body, to: &dumped)
        #expect(!dumped.contains("geheim"))
    }

    @Test func codesAndLimitsAreTheirNames() {
        #expect("\(NetworkingError.Code.timedOut) \(NetworkingError.TimeLimit.idle)" == "timedOut idle")
    }

    @Test(
        arguments: [
            ("text/plain", "no\n  such\tuser", "no such user"),
            ("application/problem+json", #"{"password":"x"}"#, #"{"password":"REDACTED"}"#),
            ("application/xml", "<e/>", "<e/>"), ("image/png", "text", nil), ("text/plain", "", nil),
            ("application/json", #"{"access_token":"geheim","a"#, #"{"access_token":"REDACTED","a"#),
            ("text/html", "<p>Authorization: Bearer geheim</p>", "<p>Authorization: REDACTED</p>"),
            ("text/plain", "password=geheim&a=1; api-key: geheim", "password=REDACTED&a=1; api-key: REDACTED"),
            ("text/plain", String(repeating: "ä", count: 801), String(repeating: "ä", count: 200) + "…"),
            ("text/plain", String(repeating: "a", count: 201), String(repeating: "a", count: 200) + "…"),
            ("text/plain", String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
        ] as [(String, String, String?)])
    func anErrorShowsTheBeginningOfATextBody(type: String, body: String, shown: String?) async throws {
        for status in [404, 500] {
            network.answer("/error", with: [.head(status, ["Content-Type": type]), .body(body)])
            let error = await #expect(throws: NetworkingError.self) { try await manager.get("error") }
            let text = "the server answered with status \(status)"
            #expect(error?.message == text)
            #expect(
                error?.description.hasPrefix("unacceptableStatus: \(text)\(shown.map { ": " + $0 } ?? "") (GET ")
                    == true)
        }
    }

    struct User: Decodable, Sendable {
        var name: String
        var logins: [Int]
    }

    private func decodingFault<Value: Decodable & Sendable>(_ type: Value.Type, _ body: String) async -> String? {
        network.answer("/value", with: [.head(200, ["Content-Type": "application/json"]), .body(body)])
        let error = await #expect(throws: NetworkingError.self) { try await manager.get("value", as: type) }
        return error?.message
    }

    @Test func keysOfAnotherTypeAreNotCalledValues() async {
        let text = await decodingFault([Int: Int].self, #"{"a":1}"#)
        #expect(text?.contains("expected a number at member a, found a number") == false)
    }

    @Test func errorOfAnotherOperationKeepsItsLimit() async throws {
        network.answer("/login", with: [.fail(.timedOut)])
        var failed = NetworkingError(.timedOut, "login took too long (idle limit: 5.0 seconds)")
        (failed.timeLimit, failed.request) = (.idle, URLRequest(url: ScriptedNetwork.url("/login")))
        let login = manager.get("here", returning: StringResponseSerializer())
        let after = manager.get("here", after: login) { [failed] _, _ in throw failed }
        let error = await #expect(throws: NetworkingError.self) { try await after.value }
        #expect(error?.message == "login took too long (idle limit: 5.0 seconds)")
    }

    @Test func decodingErrorsNameWhatWasExpectedAndFound() async {
        #expect(
            await decodingFault([User].self, #"{"users":[]}"#)
                == "cannot decode the response as [User]: expected an array at the top level, found an object")
        #expect(
            await decodingFault(User.self, #"{"name":1,"logins":[]}"#)
                == "cannot decode the response as User: expected a string at member name, found a number")
        #expect(
            await decodingFault(User.self, #"{"name":"a","logins":[1,"x"]}"#)
                == "cannot decode the response as User: expected a number at member logins[1], found a string")
        #expect(
            await decodingFault(User.self, #"{"name":"a"}"#)
                == "cannot decode the response as User: member logins is missing")
        #expect(
            await decodingFault(User.self, #"{"name":null,"logins":[]}"#)
                == "cannot decode the response as User: expected a string at member name, found null")
    }
}

extension NetworkTests {
    /// Errors of real connections say what to look at.
    @Suite struct ErrorTextTests {
        @Test func aTimeLimitIsNamedWithItsValue() async throws {
            try await TestServer.answering(.stall) { server in
                let total = TransferOptions { $0.timeouts.total = .milliseconds(50) }
                let idle = TransferOptions { $0.timeouts.idle = .milliseconds(50) }
                let texts = await [get(server.url(), total), get(server.url(), idle)].map { $0.error?.message ?? "" }
                #expect(
                    texts[0] == "the request to 127.0.0.1 took longer than its time limit (total limit: 0.05 seconds)")
                #expect(texts[1].hasSuffix("for longer than the idle limit (idle limit: 0.05 seconds)"))
            }
        }

        @Test func aProxyThatIsNotThereIsNamed() async throws {
            let options = try TransferOptions().through("http://user:secret@127.0.0.1:1")
            let url = try #require(URL(string: "http://example.test/"))
            let error = try #require(await get(url, options).error)
            #expect(error.code == .cannotConnect)
            #expect(error.message.hasPrefix("no connection to example.test through the proxy http://127.0.0.1:1: "))
        }

        @Test func namesOfAnotherHostsCertificateAreTold() async throws {
            let server = try await TestServer.start(tls: .wrongHost) { _ in .response(body: "never") }
            let error = try #require(await get(server.url(), try TransferOptions.trustingTestAuthority).error)
            #expect(error.code == .serverNotTrusted)
            #expect(error.message.hasPrefix("the certificate of 127.0.0.1 does not name it: it names "), "\(error)")
            await server.stop()
        }

        @Test func anUnknownAuthorityIsMetWithItsRemedy() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response(body: "never") }
            let error = try #require(await get(server.url()).error)
            #expect(error.code == .serverNotTrusted)
            #expect(
                error.message.hasSuffix(
                    "; to trust its authority, name the authority's file: securityPolicy.authorities, or --ca of the command"
                ))
            #expect(!error.message.contains("pinning mode"))
            let first = try #require(error.serverCertificates.first)
            #expect(try ServerCertificate(der: first).dnsNames.contains("localhost"))
            #expect((error.nsError.userInfo[NetworkingError.serverCertificatesErrorKey] as? [Data])?.first == first)
            await server.stop()
        }
    }

    /// HTTP/2 or nothing.
    @Suite struct RequiredHTTP2Tests {
        private func options(_ version: HTTPProtocolVersion) throws -> TransferOptions {
            var options = try TransferOptions.trustingTestAuthority
            options.httpVersion = version
            return options
        }

        @Test func aServerThatDoesNotSpeakHTTP2IsNamedAndGetsNoRequest() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response(body: "never") }
            let error = try #require(await get(server.url(), try options(.http2PriorKnowledge)).error)
            #expect(error.code == .secureConnectionFailed)
            #expect(error.message == "127.0.0.1 does not speak HTTP/2: TLS has not negotiated it, but http/1.1")
            #expect(server.requests.isEmpty)
            await server.stop()
        }

        @Test func aServerInTheClearThatDoesNotSpeakHTTP2IsNamed() async throws {
            try await TestServer.answering(.close) { server in
                let options = TransferOptions { $0.httpVersion = .http2PriorKnowledge }
                let error = try #require(await get(server.url(), options).error)
                #expect(error.message.contains("which perhaps does not speak HTTP/2"), "\(error)")
            }
        }

        @Test func aKeptConnectionOfAnotherVersionIsNotUsed() async throws {
            var settings = TestServer.Options()
            (settings.certificate, settings.speaksHTTP2) = (.localhost, true)
            let script: TestServer.Script = { _ in .response(body: "answer") }
            try await TestServer.serving(settings, script: script) { server in
                var versions: [String?] = []
                for version in [HTTPProtocolVersion.http1, .http2PriorKnowledge, .http2PriorKnowledge] {
                    versions.append(await get(server.url(), try options(version)).responseHead?.httpVersion)
                }
                #expect(versions == ["1.1", "2", "2"])
                #expect(server.connectionCount == 2)
            }
        }
    }
}
