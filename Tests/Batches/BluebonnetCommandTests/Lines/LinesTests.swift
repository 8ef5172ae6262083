// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// `bluebonnet lines`, from the command line to its output.
    @Suite struct LinesTests {
        private func lines(
            _ arguments: [String], input: String? = nil, in folder: TemporaryFolder
        ) async throws -> CommandProcess.End {
            guard let input else { return try await CommandProcess(["lines"] + arguments, in: folder).end() }
            let pipe = try TestPipe()
            let process = try CommandProcess(["lines"] + arguments, input: pipe.readEnd, in: folder)
            pipe.closeReadEnd()
            pipe.write(input)
            pipe.closeWriteEnd()
            return await process.end()
        }

        private func withFolder(_ body: (TemporaryFolder) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await body(folder)
        }

        @Test(arguments: [
            ("curl", "curl -L http://h/ -o x", #"{"output":"x","url":"http://h/"}"#),
            (
                "har",
                #"{"log":{"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"GET","url":"http://h/"}}]}}"#,
                #"{"url":"http://h/"}"#
            ),
            ("csv", "url,id\nu,a\n", #"{"id":"a","url":"u"}"#), ("urls", "http://h/\n", #"{"url":"http://h/"}"#),
        ])
        func fileOrStandardInputIsConverted(format: String, text: String, expected: String) async throws {
            try await withFolder { folder in
                let path = try folder.write("input", text)
                let ends = [
                    try await lines(["from", format, path], in: folder),
                    try await lines(["from", format], input: text, in: folder),
                    try await lines(["from", format, "-"], input: text, in: folder),
                ]
                for end in ends {
                    #expect(end.status == 0 && end.errors == "")
                    #expect(end.output == expected + "\n")
                }
            }
        }

        @Test func errorEndsWithTwoAfterEarlierLines() async throws {
            try await withFolder { folder in
                let path = try folder.write("urls.txt", "http://a/\nhttp://b/\n\nc\nhttp://d/\n")
                let end = try await lines(["from", "urls", path], in: folder)
                #expect(end.status == 2)
                #expect(end.output == "{\"url\":\"http://a/\"}\n{\"url\":\"http://b/\"}\n")
                #expect(end.errors.hasPrefix("\(path):4: the URL \"c\" has no scheme") && end.errors.hasSuffix("\n"))
                let piped = try await lines(["from", "curl"], input: "\ncurl --http3 h", in: folder)
                #expect(piped.status == 2 && piped.output == "")
                #expect(
                    piped.errors == "standard input:2: --http3 has no counterpart in a request line: leave it out\n")
            }
        }

        @Test(arguments: ["curl", "urls"]) func fileWithoutEndIsRefused(format: String) async throws {
            try await withFolder { folder in
                let end = try await lines(["from", format, "/dev/zero"], in: folder)
                #expect(end.status == 2 && end.output == "")
                #expect(end.errors == "/dev/zero:1: longer than 64 MiB\n")
            }
        }

        @Test func namedPipeIsReadWhenItHasAWriter() async throws {
            try await withFolder { folder in
                let path = folder.path("pipe")
                #expect(mkfifo(path, 0o600) == 0)
                let process = try CommandProcess(["lines", "from", "urls", path], in: folder)
                // Without a reader, a pipe cannot be opened for writing without waiting.
                var writer: CInt = -1
                await becomes(true) {
                    writer = open(path, O_WRONLY | O_NONBLOCK)
                    return writer >= 0
                }
                #expect(write(writer, "http://h/\n", 10) == 10)
                close(writer)
                let end = await process.end()
                #expect(end.status == 0 && end.output == "{\"url\":\"http://h/\"}\n" && end.errors == "")
            }
        }

        @Test func warningsAreOnStandardError() async throws {
            try await withFolder { folder in
                let end = try await lines(["from", "curl"], input: "curl -d @f h", in: folder)
                #expect(end.status == 0 && end.output.contains(#""file":"f""#))
                #expect(end.errors.hasPrefix("standard input:1: warning: -d @FILE: "))
            }
        }

        @Test func missingFileAndFullOutputEndWithTwo() async throws {
            try await withFolder { folder in
                let end = try await lines(["to", "curl", folder.path("none")], in: folder)
                #expect(end.status == 2 && end.errors.contains("No such file"))
                let full = open("/dev/full", O_WRONLY)
                defer { close(full) }
                let path = try folder.write("urls", "http://h/\n")
                let process = try CommandProcess(["lines", "from", "urls", path], output: full, in: folder)
                let written = await process.end()
                #expect(written.status == 2)
                #expect(written.errors == "Error: cannot write to standard output: No space left on device\n")
            }
        }

        @Test func baseURLMustBeAbsolute() async throws {
            try await withFolder { folder in
                let end = try await lines(["to", "curl", "--base-url", "h/v1"], in: folder)
                #expect(end.status == 2 && end.errors.contains("--base-url must be an http:// or https:// URL"))
                let good = try await lines(
                    ["to", "curl", "--base-url", "http://h/v1"], input: #"{"url":"u"}"#, in: folder)
                #expect(good.status == 0 && good.output.hasSuffix(" http://h/v1/u\n"))
            }
        }

        @Test func manyLinesPassThrough() async throws {
            try await withFolder { folder in
                let path = try folder.write("urls", (0..<20_000).map { "http://h/\($0)\n" }.joined())
                let end = try await lines(["from", "urls", path], in: folder)
                #expect(end.status == 0)
                #expect(end.output.split(separator: "\n").count == 20_000)
                let back = try await lines(["to", "curl", try folder.write("lines", end.output)], in: folder)
                #expect(back.output.split(separator: "\n").last?.hasSuffix(" http://h/19999") == true)
            }
        }

        /// The command runs what it has written.
        @Test func convertedLinesRun() async throws {
            try await CommandFixture.with { fixture in
                let url = fixture.server.url("/").absoluteString
                let script = """
                    curl -L '\(url)a' -H 'X-A: 1' --json '{"b": [1]}' -X PUT
                    curl -L -G '\(url)c' --data-urlencode 'q=d e'
                    curl -L '\(url)f' -d g=h
                    """
                let converted = try await lines(["from", "curl"], input: script, in: fixture.folder)
                let file = try fixture.folder.write("lines", converted.output)
                let end = try await fixture.start([file]).end()
                #expect(end.status == 0)
                let sent = Dictionary(uniqueKeysWithValues: fixture.server.requests.map { ($0.path, $0) })
                #expect(sent["/a"]?.method == "PUT" && sent["/a"]?.headers["X-A"] == "1")
                #expect(sent["/a"].map { String(decoding: $0.body, as: UTF8.self) } == #"{"b":[1]}"#)
                #expect(sent["/a"]?.headers["Content-Type"] == "application/json")
                #expect(sent["/c"]?.target == "/c?q=d%20e")
                #expect(sent["/f"].map { String(decoding: $0.body, as: UTF8.self) } == "g=h")
                #expect(sent["/f"]?.headers["Content-Type"] == "application/x-www-form-urlencoded")
            }
        }

        @Test func harFileOfARunIsConvertedBack() async throws {
            try await CommandFixture.with { fixture in
                let har = fixture.folder.path("run.har")
                let lines = [
                    #"{"url":"a?token=s3cret","headers":{"Authorization":"Bearer t","X-A":"1"}}"#,
                    #"{"method":"POST","url":"b","json":{"c":1},"after":["1"]}"#,
                ]
                #expect(try await fixture.run(lines, ["--har", har]).status == 0)
                let end = try await self.lines(["from", "har", har], in: fixture.folder)
                #expect(end.status == 0)
                let url = fixture.server.url("/").absoluteString
                let values = try end.output.split(separator: "\n").map {
                    try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8))
                }
                #expect(values.map { $0["url"]?.string } == [url + "a?token=REDACTED", url + "b"])
                #expect(values[0]["headers"]?["X-A"] == "1" && values[0]["headers"]?["Authorization"] == nil)
                for text in ["Authorization is REDACTED", "the URL has a part that is REDACTED", "the body of 7 bytes"]
                {
                    #expect(end.errors.contains(text))
                }
            }
        }

        /// The server receives from curl what the command would send.
        @Test(.enabled(if: access("/usr/bin/curl", X_OK) == 0)) func writtenCommandsOfCurlRunInAShell() async throws {
            try await CommandFixture.with { fixture in
                let file = try fixture.file([
                    #"{"method":"PUT","url":"a?b={c}","headers":{"X-A":"it's $HOME"},"text":"`d`\n\"$${e}\" \\"}"#,
                    #"{"method":"POST","url":"f","form":{"g":"h&i"}}"#, #"{"url":"j","query":{"k":"l m"}}"#,
                ])
                let base = fixture.server.url("/").absoluteString
                let written = try await lines(["to", "curl", file, "--base-url", base], in: fixture.folder)
                #expect(written.status == 0)
                let script = try fixture.folder.write("script.sh", written.output)
                let end = try await CommandProcess([script], program: "/bin/sh", in: fixture.folder).end()
                #expect(end.status == 0)
                let sent = fixture.server.requests
                #expect(sent.map(\.method) == ["PUT", "POST", "GET"])
                #expect(sent.map(\.target) == ["/a?b=%7Bc%7D", "/f", "/j?k=l%20m"])
                #expect(sent.first?.headers["X-A"] == "it's $HOME")
                #expect(sent.map { String(decoding: $0.body, as: UTF8.self) } == ["`d`\n\"${e}\" \\", "g=h%26i", ""])
            }
        }
    }
}
