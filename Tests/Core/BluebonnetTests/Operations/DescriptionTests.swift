// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The texts of responses, errors and bodies in a log.
@Suite(.timeLimit(.minutes(1))) struct DescriptionTests {
    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        manager.responseSerializer = HTTPResponseSerializer()
        network.answer("/here", with: [.head(200), .body("here")])
    }

    @Test func responseDescriptionIsReadableAndHidesSecrets() async throws {
        network.answer(
            "/token", with: [.head(200, ["Content-Type": "application/json"]), .body(#"{"token":"t","a":1}"#)])
        let response = try await manager.get("token?api_key=s", as: JSONValue.self)
        let text = "\(response)"
        #expect(text.hasPrefix("200 (GET http://scripted.test/token?api_key=REDACTED), "), "\(text)")
        #expect(text.hasSuffix(#" ms: {"a":1,"token":"REDACTED"}"#), "\(text)")
        #expect("\(try await manager.get("here"))".hasSuffix(" ms: 4 bytes"))
        #expect("\(try await manager.get("here", as: String.self))".hasSuffix(" ms: String"))
    }

    @Test func timingsDescriptionListsOnlyMeasuredPhases() {
        var timings = TransferTimings()
        #expect("\(timings)" == "total 0.0 ms")
        timings.nanoseconds.connect = 1_260_000
        timings.nanoseconds.firstByte = 12_000_000_000
        timings.nanoseconds.total = 12_345_000_000
        #expect("\(timings)" == "connect 1.3 ms, first byte 12.0 s, total 12.3 s")
        var summary = TransferSummary()
        (summary.transferCount, summary.redirectCount, summary.isReused, summary.timings) = (2, 1, true, timings)
        #expect("\(summary)" == "2 transfers, 1 redirect, reused connection; \(timings)")
    }

    @Test(arguments: [
        (RequestBody.json(["password": "geheim"]), "JSON"), (.form(["password": "geheim"]), "a form"),
        (.multipart(["password": "geheim"]), "a multipart form"),
        (.text("geheim"), "6 bytes of text/plain; charset=utf-8"),
        (.file(URL(fileURLWithPath: "/tmp/a.bin")), "the file /tmp/a.bin"),
    ])
    func bodyDescriptionShowsKindButNoContent(body: RequestBody, text: String) {
        #expect("\(body)" == text)
        var dumped = ""
        dump(body, to: &dumped)
        #expect(!dumped.contains("geheim"))
    }

    @Test func codesAndTimeLimitsPrintTheirNames() {
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
    func errorDescriptionShowsStartOfTextBody(type: String, body: String, shown: String?) async throws {
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

    @Test func wrongKeyTypeIsNotReportedAsWrongValue() async {
        let text = await decodingFault([Int: Int].self, #"{"a":1}"#)
        #expect(text?.contains("expected a number at member a, found a number") == false)
    }

    @Test func rethrownErrorKeepsItsTimeLimit() async throws {
        network.answer("/login", with: [.fail(.timedOut)])
        var failed = NetworkingError(.timedOut, "login took too long (idle limit: 5.0 seconds)")
        (failed.timeLimit, failed.request) = (.idle, URLRequest(url: ScriptedNetwork.url("/login")))
        let login = manager.get("here", returning: StringResponseSerializer())
        let after = manager.call("here").after(login) { [failed] _, _ in throw failed }.start()
        let error = await #expect(throws: NetworkingError.self) { try await after.value }
        #expect(error?.message == "login took too long (idle limit: 5.0 seconds)")
    }

    @Test func decodingErrorNamesExpectedAndFoundTypes() async {
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
    /// The messages of errors of real connections say what to check.
    @Suite struct ErrorTextTests {
        @Test func timeoutErrorNamesLimitAndValue() async throws {
            try await TestServer.answering(.stall) { server in
                let total = TransferOptions { $0.timeouts.total = .milliseconds(50) }
                let idle = TransferOptions { $0.timeouts.idle = .milliseconds(50) }
                let texts = await [get(server.url(), total), get(server.url(), idle)].map { $0.error?.message ?? "" }
                #expect(
                    texts[0] == "the request to 127.0.0.1 took longer than its time limit (total limit: 0.05 seconds)")
                #expect(texts[1].hasSuffix("within the idle limit (idle limit: 0.05 seconds)"))
            }
        }

        @Test func unreachableProxyIsNamed() async throws {
            let options = try TransferOptions().through("http://user:secret@127.0.0.1:1")
            let url = try #require(URL(string: "http://example.test/"))
            let error = try #require(await get(url, options).error)
            #expect(error.code == .cannotConnect)
            #expect(error.message.hasPrefix("no connection to example.test through the proxy http://127.0.0.1:1: "))
        }

        @Test func wrongHostErrorListsCertificateNames() async throws {
            let server = try await TestServer.start(tls: .wrongHost) { _ in .response(body: "never") }
            let error = try #require(await get(server.url(), try TransferOptions.trustingTestAuthority).error)
            #expect(error.code == .serverNotTrusted)
            #expect(error.message.hasPrefix("the certificate of 127.0.0.1 does not name it: it names "), "\(error)")
            await server.stop()
        }

        @Test func unknownAuthorityErrorSuggestsTrustingIt() async throws {
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
}
