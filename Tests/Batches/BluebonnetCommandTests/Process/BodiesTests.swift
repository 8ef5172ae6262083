// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension ProcessTests {
    @Suite struct BodiesTests {
        @Test func propertyListIsSent() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a","method":"POST","plist":{"b":[1,true,"c"]}}"#])
                #expect(end.status == 0)
                let request = try #require(fixture.server.requests.first)
                #expect(request.headers["Content-Type"] == "application/x-plist")
                let value = try PropertyListValue(parsing: request.body)
                #expect(value == .dictionary(["b": .array([.integer(1), .bool(true), .string("c")])]))
            }
        }

        @Test func propertyListCannotContainNull() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a","method":"POST","plist":{"b":[null]}}"#])
                #expect(end.status == 1)
                #expect(try end.results.map { $0.error?.code } == [.invalidRequest])
                #expect(try end.results.first?.error?.message.contains("b[0]") == true)
                #expect(fixture.server.requests.isEmpty)
            }
        }

        @Test(.enabled(if: MultipartParser.isAvailable))
        func multipartFormIsSent() async throws {
            try await CommandFixture.with { fixture in
                let path = try fixture.folder.write("notes.txt", "file's text")
                let line = """
                    {"url":"a","method":"POST","multipart":[{"name":"v","value":"é"},{"name":"f","file":"\(path)"},\
                    {"name":"g","file":"\(path)","filename":"x.bin","contentType":"x/y"}]}
                    """
                #expect(try await fixture.run([line]).status == 0)
                let request = try #require(fixture.server.requests.first)
                let parts = try MultipartParser.pythonMultipart.parts(
                    of: request.body, contentType: #require(request.headers["Content-Type"]))
                #expect(parts.map { String(decoding: $0.body, as: UTF8.self) } == ["é", "file's text", "file's text"])
                #expect(parts.map { $0.headers["content-type"] } == [nil, "text/plain", "x/y"])
                #expect(
                    parts.map { $0.headers["content-disposition"] } == [
                        #"form-data; name="v""#, #"form-data; name="f"; filename="notes.txt""#,
                        #"form-data; name="g"; filename="x.bin""#,
                    ])
            }
        }

        @Test func partWithoutItsFileIsAFailedOperation() async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path("missing")
                let end = try await fixture.run([
                    #"{"url":"a","method":"POST","multipart":[{"name":"f","file":"\#(path)"}]}"#
                ])
                #expect(end.status == 1)
                #expect(try end.results.map { $0.error?.code } == [.cannotReadFile])
                #expect(try end.results.first?.error?.message.contains(path) == true)
                #expect(fixture.server.requests.isEmpty)
            }
        }

        @Test(arguments: [
            ("application/json; charset=utf-8", "success"), ("Application/JSON", "success"), ("image/png", "success"),
            ("text/html", "failure"),
        ])
        func expectedContentTypeDecidesTheOutcome(type: String, outcome: String) async throws {
            try await CommandFixture.with { _ in
                .response(headers: ["Content-Type": type], body: "{}")
            } _: { fixture in
                let end = try await fixture.run([#"{"url":"a","expect":{"type":["application/json","image/*"]}}"#])
                #expect(try end.results.map(\.outcome.rawValue) == [outcome])
                let code: NetworkingError.Code? = outcome == "success" ? nil : .unacceptableContentType
                #expect(try end.results.map { $0.error?.code } == [code])
            }
        }
    }
}
