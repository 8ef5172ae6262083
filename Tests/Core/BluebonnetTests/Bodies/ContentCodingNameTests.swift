// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ContentCodingNameTests {
        @Test(arguments: [
            "none", "None", "NONE", "identity", "Identity", "", " ", ",", "none, identity", "identity,none,",
            "\t none ", "utf-8", "UTF-8", "aws-chunked", "binary", "8bit", "identity, utf-8",
        ])
        func bodyWithoutCodingArrivesUnchanged(value: String) async throws {
            try await TestServer.answering(.response(headers: ["Content-Encoding": value], body: "hello")) { server in
                let operation = await get(server.url())
                #expect(operation.error == nil)
                #expect(operation.responseString == "hello")
            }
        }

        @Test(arguments: ["none, gzip", "gzip, None", "identity,GZIP , none"])
        func codingListedWithNoneIsDecoded(value: String) async throws {
            let reply = Reply.response(headers: ["Content-Encoding": value], body: Data(CodedBody.gzip))
            try await TestServer.answering(reply) { server in
                #expect(await get(server.url()).responseString == CodedBody.text)
            }
        }

        @Test(arguments: ["gzip", "br", "nonesuch"])
        func bodyArrivesUnchangedWithoutDecoding(coding: String) async throws {
            let reply = Reply.response(headers: ["Content-Encoding": coding], body: Data(CodedBody.gzip))
            try await TestServer.answering(reply) { server in
                var options = TransferOptions()
                options.decodesContent = false
                let operation = await get(server.url(), options)
                #expect(operation.error == nil)
                #expect(operation.responseData == Data(CodedBody.gzip))
                var request = URLRequest(url: server.url())
                request.setValue("br", forHTTPHeaderField: "Accept-Encoding")
                #expect(await perform(request, options).responseData == Data(CodedBody.gzip))
                #expect(server.requests.map { $0.headers["Accept-Encoding"] } == ["identity", "br"])
            }
        }

        @Test(arguments: ["nonesuch", "none;q=1", "no ne", "\"none\"", "none, br"])
        func unknownCodingNameIsNotIgnored(value: String) async throws {
            try await TestServer.answering(.response(headers: ["Content-Encoding": value], body: "hello")) { server in
                #expect(await get(server.url()).code == .cannotDecodeBody)
            }
        }

        @Test(arguments: ["none", "identity"])
        func downloadWithoutCodingIsContinued(value: String) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
            let script: TestServer.Script = { request in
                guard let offset = Representation.offset(of: request) else {
                    let fields: WireFields = ["ETag": "\"one\"", "Content-Encoding": value]
                    return .response(headers: fields, body: file.body).cut(afterByteCount: 100_000)
                }
                let range = "bytes \(offset)-199999/200000"
                let fields: WireFields = ["ETag": "\"one\"", "Content-Range": range, "Content-Encoding": value]
                return .response(status: 206, headers: fields, body: Data(file.body.dropFirst(offset)))
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url()).error != nil)
                #expect(await folder.download(server.url()).error == nil)
                #expect(server.requests.last?.headers["Range"] != nil)
                #expect(folder.contents == file.body)
            }
        }
    }
}
