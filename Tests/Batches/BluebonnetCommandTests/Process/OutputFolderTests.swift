// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct OutputFolderTests {
        private static let script: TestServer.Script = { request in
            let isNamed = request.path == "/named"
            let fields: WireFields = isNamed ? ["Content-Disposition": "attachment; filename=n.txt"] : [:]
            return .response(headers: fields, body: "body of " + request.target)
        }

        @Test(arguments: ["new", "there", "new/below/it"])
        func pathWithATrailingSlashIsAFolder(place: String) async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let there = fixture.folder.path("there")
                try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: false)
                let path = fixture.folder.path(place) + "/"
                let lines = ["named", "dir/u.bin?q", "dir/u.bin?r"].map { #"{"url":"\#($0)","output":"\#(path)"}"# }
                let end = try await fixture.run(lines, ["--concurrency", "1"])
                #expect(end.status == 0, "\(end.errors)")
                #expect(try end.results.allSatisfy { $0.outcome == .success && $0.body == nil && $0.bytes ?? 0 > 0 })
                let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                #expect(names == ["n.txt", "u (2).bin", "u.bin"])
                let text = try String(contentsOfFile: path + "n.txt", encoding: .utf8)
                #expect(text == "body of /named")
            }
        }

        @Test func fileWithTheFoldersNameIsAnError() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("file", "text")
                let end = try await fixture.run([#"{"url":"a","output":"\#(path)/"}"#])
                #expect(end.status == 1)
                #expect(try end.results.map { $0.error?.code } == [.cannotOpenFile])
                #expect(fixture.server.requests.isEmpty)
                let lines = ["", "/"].map { #"{"url":"a","output":"\#(fixture.folder.path("x"))\#($0)"}"# }
                let wrong = try await fixture.run(lines)
                #expect(wrong.status == 2)
                #expect(wrong.errors.contains("line 1 already writes to this file"))
            }
        }

        @Test func folderMayBeNamedByAResponse() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let root = fixture.folder.url.path + "/"
                let lines = [
                    #"{"id":"a","url":"named"}"#,
                    #"{"url":"named","output":"\#(root)${a.status}/"}"#,
                ]
                let end = try await fixture.run(lines)
                #expect(end.status == 0, "\(end.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: root + "200") == ["n.txt"])
            }
        }
    }

    @Suite struct SentPathTests {
        @Test func resultHasTheSentURL() async throws {
            try await CommandFixture.with { fixture in
                let root = fixture.server.url("/").absoluteString
                let lines = ["a/../b", "/a/%2e%2e/b", root + "./a/../b"].map { #"{"url":"\#($0)"}"# }
                let end = try await fixture.run(lines)
                #expect(end.status == 0)
                #expect(try end.results.map(\.url) == [root + "b", root + "b", root + "b"])
                #expect(fixture.server.requests.map(\.target) == ["/b", "/b", "/b"])
                let plan = try await fixture.run(lines, ["--plan"])
                #expect(plan.output.components(separatedBy: "GET \(root)b\n").count == 4)
            }
        }

        @Test func nameWithNULFailsTheOperationAndNamesThePart() async throws {
            try await CommandFixture.with { fixture in
                let path = try fixture.folder.write("notes.txt", "text")
                let end = try await fixture.run([
                    #"{"url":"a","method":"POST","multipart":[{"name":"a\u0000b","value":"v"}]}"#,
                    #"{"url":"a","method":"POST","multipart":[{"name":"f","file":"\#(path)","filename":"x\u0000"}]}"#,
                ])
                #expect(end.status == 1)
                #expect(try end.results.map { $0.error?.code } == [.invalidRequest, .invalidRequest])
                let messages = try Set(end.results.map { $0.error?.message })
                #expect(
                    messages == [
                        "the name of the part \"a�b\" contains a NUL", "the file name of the part \"f\" contains a NUL",
                    ])
                #expect(fixture.server.connectionCount == 0)
            }
        }
    }
}
