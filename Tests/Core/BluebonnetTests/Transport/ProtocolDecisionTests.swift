// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The decisions of the page "Protocol decisions", where clients differ.
    @Suite struct ProtocolDecisionTests {
        @Test(arguments: [600, 700, 999])
        func unknownStatusClassIsAServerError(status: Int) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(status: status, body: "denied")) { server in
                let plain = await get(server.url())
                #expect(plain.error == nil && plain.statusCode == status && plain.responseString == "denied")
                let checked = await HTTPRequestOperation(request: URLRequest(url: server.url())).run()
                #expect(checked.code == .unacceptableStatus && checked.statusCode == status)
                #expect(checked.error?.body == Data("denied".utf8))
                #expect(checked.error?.isTransient == false)
                var serializer = HTTPResponseSerializer()
                serializer.validation.acceptableStatusCodes = [status]
                let request = URLRequest(url: server.url())
                #expect(await HTTPRequestOperation(request: request, responseSerializer: serializer).run().error == nil)
                #expect(await folder.download(server.url()).code == .unacceptableStatus)
                #expect(folder.names.isEmpty)
            }
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func redirectToItselfIsACycle(status: Int) async throws {
            try await TestServer.answering(.redirect(to: "/start", status: status)) { server in
                #expect(await get(server.url("/start")).code == .tooManyRedirects)
                #expect(server.requests.count == 1)
            }
        }

        @Test func redirectToItselfWithANewCookieIsFollowed() async throws {
            let script: TestServer.Script = { request in
                guard request.headers["Cookie"] == nil else { return .response(body: "there") }
                return .redirect(to: "/start", headers: ["Set-Cookie": "a=1"])
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.cookieJar = CookieJar() }
                #expect(await get(server.url("/start"), options).responseString == "there")
                #expect(server.requests.count == 2)
            }
        }

        @Test(arguments: ["DOMAIN%5Cuser", "DOMAIN%5cuser:secret", "user:sec%5Cret"])
        func backslashInUserInformationIsRefusedWithAdvice(userInfo: String) async throws {
            try await TestServer.answering(.response()) { server in
                let text = "http://\(userInfo)@127.0.0.1:\(server.port)/"
                let error = await get(try #require(URL(string: text))).error
                #expect(error?.code == .badURL)
                #expect(error?.message.contains("into TransferOptions.credential") == true)
                #expect(error?.message.contains("sec") == false)
                #expect(throws: NetworkingError.self) { try RequestCheck.url(text) }
                #expect(server.connectionCount == 0)
            }
        }

        @Test func credentialMayContainABackslash() async throws {
            let script: TestServer.Script = { request in
                // "DOMAIN\user:secret" in Base64.
                if request.headers["Authorization"] == "Basic RE9NQUlOXHVzZXI6c2VjcmV0" { return .response(body: "in") }
                return .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions {
                    $0.credential = URLCredential(user: "DOMAIN\\user", password: "secret", persistence: .none)
                }
                #expect(await get(server.url(), options).responseString == "in")
            }
        }

        @Test(arguments: ["chunked", "Chunked", "identity", "gzip, chunked", ""])
        func callerTransferEncodingIsRefused(value: String) async throws {
            try await TestServer.answering(.response()) { server in
                for name in ["Transfer-Encoding", "transfer-encoding"] {
                    var requests = [
                        URLRequest("GET", server.url(), headers: [name: value]),
                        URLRequest("POST", server.url(), headers: [name: value], body: "hello"),
                        URLRequest("POST", server.url(), headers: [name: value]),
                    ]
                    requests[2].httpBodyStream = InputStream(data: Data("hello".utf8))
                    for request in requests {
                        let error = await perform(request).error
                        #expect(error?.code == .invalidRequest)
                        #expect(error?.message.contains("Transfer-Encoding") == true)
                        #expect(error?.message.contains("is sent chunked") == true)
                    }
                }
                #expect(server.connectionCount == 0)
            }
        }
    }
}
