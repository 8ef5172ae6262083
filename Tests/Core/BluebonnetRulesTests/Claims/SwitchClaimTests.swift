// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RulesTests {
    /// The library with all of its tuning and without tuning, and pins for other spellings of a host.
    @Suite struct SwitchClaimTests {
        @Test func libraryWorksWithoutTuning() async {
            await #expect(processExitsWith: .success) {
                Tuning.current = []
                await expectAnswersOfEveryKind()
            }
        }

        @Test func libraryWorksWithAllTuning() async {
            await #expect(processExitsWith: .success) {
                Tuning.current = .all
                await expectAnswersOfEveryKind()
            }
        }

        /// libcurl before 8.2 appends such a line to the last field of the handle's previous request. The memory of
        /// that field is already freed.
        @Test func foldedFirstLineIsRefusedWithDefaultTuning() async {
            await #expect(processExitsWith: .success) {
                await expectRefusalOfAFoldedFirstLine()
            }
        }

        @Test(arguments: ["localhost", "localhost.", "LOCALHOST", "LocalHost."])
        func pinAppliesToEverySpellingOfHost(host: String) async throws {
            try await TestServer.answering(.response(body: "pinned"), tls: .localhost) { server in
                func run(_ pin: TestCertificate) async throws -> RequestOperation {
                    var options = try TransferOptions.trustingTestAuthority
                    options.addressOverrides = [host: "127.0.0.1"]
                    options.securityPolicy.hosts = try SecurityPolicyTable([
                        "localhost": SecurityPolicy(
                            pinningMode: .publicKey, pins: PinSet(certificateData: pin.der),
                            authorities: .file(TestCertificate.localhost.caPath))
                    ])
                    return await get(server.url(host: host), options)
                }
                let refused = try await run(.otherKey)
                #expect(refused.error?.code == .pinMismatch)
                #expect(server.requests.isEmpty)
                let accepted = try await run(.localhost)
                #expect(accepted.end == "pinned")
            }
        }
    }
}

/// Sends requests that use each part of the library's machinery, over plain TCP and over TLS.
private func expectAnswersOfEveryKind() async {
    let script: TestServer.Script = { request in
        switch request.path {
        case "/redirect": .redirect(to: "/end")
        case "/chunked": .chunked(chunks: ["one", "two"])
        case "/echo": .response(body: request.body)
        case "/cut": Reply.response(body: "0123456789").cut(afterByteCount: 45)
        case "/large": .response(body: Data(repeating: 7, count: 1 << 20))
        default: .response(body: "end")
        }
    }
    do {
        let options = try TransferOptions.trustingTestAuthority
        for certificate in [nil, TestCertificate.localhost] {
            try await TestServer.scripted(tls: certificate, script) { server in
                #expect(await get(server.url("/redirect"), options).end == "end")
                #expect(await get(server.url("/chunked"), options).end == "onetwo")
                let text = String(repeating: "x", count: 100_000)
                #expect(await perform(URLRequest("POST", server.url("/echo"), body: text), options).end == text)
                #expect(await get(server.url("/cut"), options).error?.code == .badServerResponse)
                #expect(await get(server.url("/large"), options).responseData?.count == 1 << 20)
                let operations = (0..<100).map { number in
                    RequestOperation(request: URLRequest(url: server.url("/\(number)")), options: options)
                }
                for operation in operations { operation.start() }
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.end == "end")
                }
            }
        }
    } catch {
        Issue.record(error)
    }
}

private func expectRefusalOfAFoldedFirstLine() async {
    let script: TestServer.Script = { request in
        request.path == "/folded"
            ? .raw("HTTP/1.1 200 OK\r\n X: 1\r\nContent-Length: 2\r\n\r\nok").then(.close)
            : .response(headers: ["X-Long": String(repeating: "v", count: 200)], body: "end")
    }
    do {
        try await TestServer.scripted(script) { server in
            for _ in 0..<20 {
                #expect(await get(server.url("/before")).end == "end")
                #expect(await get(server.url("/folded")).error != nil)
            }
        }
    } catch {
        Issue.record(error)
    }
}
