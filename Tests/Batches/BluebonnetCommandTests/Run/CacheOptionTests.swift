// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import TestSupport
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    /// The cache of runs.
    @Suite struct CacheOptionTests {
        private let fresh: TestServer.Script = { _ in
            .response(headers: ["Cache-Control": "max-age=60"], body: "text")
        }

        private func run(_ fixture: CommandFixture, _ arguments: [String]) async throws -> CommandProcess.End {
            let line = #"{"url":"\#(fixture.server.url("/").absoluteString)"}"#
            let command = ["run", try fixture.file([line]), "--body", "text"]
            return try await CommandProcess(command + arguments, in: fixture.folder).end()
        }

        @Test func laterRunAnswersFromTheFolder() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                for answer in ["miss", "hit"] {
                    let end = try await run(fixture, ["--cache", folder, "--cache-size", "10M"])
                    #expect(end.status == 0, "\(end.errors)")
                    #expect(end.output.contains(#""cache":"\#(answer)""#) && end.output.contains(#""body":"text""#))
                }
                let offline = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(offline.status == 0 && fixture.server.requests.count == 1)
            }
        }

        @Test func offlineRunSendsNothing() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let end = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(end.status == 1 && end.output.contains("notCached") && fixture.server.requests.isEmpty)
                #expect(try await run(fixture, ["--offline"]).status == 2)
            }
        }

        @Test func runWaitsForValidationInTheBackground() async throws {
            let script: TestServer.Script = { _ in
                .response(headers: ["Cache-Control": "max-age=0, stale-while-revalidate=600"], body: "text")
            }
            try await CommandFixture.with(script) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                for (index, answer) in ["miss", "stale", "stale"].enumerated() {
                    let end = try await run(fixture, ["--cache", folder])
                    #expect(end.status == 0 && end.output.contains(#""cache":"\#(answer)""#))
                    #expect(fixture.server.requests.count == index + 1)
                }
            }
        }

        @Test func failingDiskDoesNotFailTheRun() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let line = try fixture.file([#"{"url":"\#(fixture.server.url("/").absoluteString)"}"#])
                // The index does not fit the limit on file sizes.
                let limited = "ulimit -f 8; exec \(CommandProcess.path(of: "bluebonnet")) run \(line) --cache \(folder)"
                func run(_ command: String) async throws -> CommandProcess.End {
                    try await CommandProcess(["-c", command], program: "/bin/sh", in: fixture.folder).end()
                }
                let end = try await run(limited)
                #expect(end.status == 0 && end.output.contains(#""outcome":"success""#))
                #expect(end.errors.contains("warning: the cache \(folder) cannot be opened"))
                #expect(try await run(limited + " --offline").status == 2)
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test(.enabled(if: SmallFileSystem.isAvailable)) func fullDiskIsReportedOnceAndLosesNothing() async throws {
            let small = try SmallFileSystem()
            defer { small.remove() }
            let script: TestServer.Script = { request in
                .response(
                    headers: ["Cache-Control": "max-age=60"], body: String(repeating: request.target, count: 30_000))
            }
            try await CommandFixture.with(script) { fixture in
                let folder = small.folder.path("cache")
                let lines = (100..<130).map { #"{"url":"\#($0)"}"# }
                let reason = "the cache \(folder) cannot be written: no space is left on the disk"
                let effect = "requests continue, and not all responses are stored: free space, or lower --cache-size"
                for _ in 0..<2 {
                    let end = try await fixture.run(lines, ["--cache", folder, "--body", "none"])
                    #expect(end.status == 0 && end.errors == "bluebonnet: warning: \(reason); \(effect)\n")
                    let results = try end.results
                    #expect(results.count == 30 && results.allSatisfy { $0.outcome == .success && $0.bytes == 120_000 })
                }
                // The responses that fit are answered from the folder.
                #expect((31..<60).contains(fixture.server.requests.count))
            }
        }

        /// A folder whose mode forbids its owner to write is only read, also by the superuser.
        @Test func folderWithoutPermissionAnswers() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                #expect(try await run(fixture, ["--cache", folder]).status == 0)
                #expect(chmod(folder, 0o500) == 0)
                defer { chmod(folder, 0o700) }
                let offline = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(offline.status == 0 && offline.output.contains(#""body":"text""#), "\(offline.errors)")
                #expect(!offline.errors.contains("warning"))
                let online = try await run(fixture, ["--cache", folder])
                #expect(online.status == 0 && online.output.contains(#""cache":"hit""#))
                let warning = "bluebonnet: warning: the cache \(folder) cannot be written"
                #expect(online.errors.components(separatedBy: warning).count == 2, "\(online.errors)")
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test(.enabled(if: SmallFileSystem.isAvailable)) func readOnlyFileSystemAnswers() async throws {
            let small = try SmallFileSystem()
            defer { small.remove() }
            try await CommandFixture.with(fresh) { fixture in
                let folder = small.folder.path("cache")
                #expect(try await run(fixture, ["--cache", folder]).status == 0)
                try small.makeReadOnly()
                let offline = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(offline.status == 0 && offline.output.contains(#""body":"text""#), "\(offline.errors)")
                let none = try await run(fixture, ["--cache", small.folder.path("none"), "--offline"])
                #expect(none.status == 2 && none.errors.contains("cannot be opened: Read-only file system"))
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func unusableFolderIsNamed() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let path = try fixture.file(["text"])
                let end = try await run(fixture, ["--cache", path])
                #expect(end.status == 2 && end.errors.contains("\(path) cannot be opened: Not a directory"))
                #expect(fixture.server.requests.isEmpty)
            }
        }

        @Test func pollsReachTheServer() async throws {
            let count = Observed(0)
            try await CommandFixture.with { _ in
                count.update { $0 += 1 }
                let state = count.value < 3 ? "running" : "done"
                return .response(headers: ["Cache-Control": "max-age=60, immutable"], body: #"{"state":"\#(state)"}"#)
            } _: { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let until = #""until":{"assert":[{"path":"$.state","equals":"done"}],"every":0.01,"max":9}"#
                let line = #"{"url":"\#(fixture.server.url("/").absoluteString)",\#(until)}"#
                let arguments = ["run", try fixture.file([line]), "--cache", folder]
                let end = try await CommandProcess(arguments, in: fixture.folder).end()
                #expect(end.status == 0 && end.output.contains(#""outcome":"success""#), "\(end.errors)")
                #expect(fixture.server.requests.count == 3)
                let offline = try await CommandProcess(arguments + ["--offline"], in: fixture.folder).end()
                #expect(offline.status == 0 && fixture.server.requests.count == 3, "\(offline.errors)")
            }
        }

        @Test func linesOfThePageUseTheirPolicies() async throws {
            let block = try #require(
                try CodeBlock.ofPages().first { $0.page == "Caching.md" && $0.language == "json" })
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let plain = [#"{"url":"config"}"#, #"{"url":"prices"}"#]
                #expect(try await fixture.run(plain, ["--cache", folder]).status == 0)
                let end = try await fixture.run(block.lines, ["--cache", folder])
                let answers = Dictionary(uniqueKeysWithValues: try end.results.map { ($0.id, $0.cache) })
                #expect(end.status == 0 && answers == ["config": .hit, "prices": .miss], "\(end.errors)")
                let sent = fixture.server.requests.map(\.target)
                #expect(sent.prefix(2).sorted() == ["/config", "/prices"] && sent.dropFirst(2) == ["/prices"])
            }
        }

        @Test func lineThatMustNotBeSentFailsWithoutItsResponse() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let lines = [#"{"id":"a","url":"a","cache":"onlyIfCached"}"#, #"{"id":"b","url":"b"}"#]
                let end = try await fixture.run(lines, ["--cache", folder])
                let codes = Dictionary(uniqueKeysWithValues: try end.results.map { ($0.id, $0.error?.code) })
                #expect(end.status == 1 && codes == ["a": .notCached, "b": nil])
                #expect(fixture.server.requests.map(\.target) == ["/b"])
            }
        }

        @Test func offlineRunSendsNoLineWhateverItsPolicy() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                #expect(try await fixture.run([#"{"url":"a"}"#], ["--cache", folder]).status == 0)
                let lines = ["useProtocol", "reload", "revalidate", "forceCache", "onlyIfCached"].map {
                    #"{"url":"a","cache":"\#($0)"}"#
                }
                let end = try await fixture.run(lines, ["--cache", folder, "--offline"])
                #expect(try end.status == 0 && end.results.map(\.cache) == [.hit, .hit, .hit, .hit, .hit])
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func policyOfALineIsCheckedWhenTheFileIsRead() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let lines = [#"{"url":"a"}"#, #"{"url":"b","cache":"no-store"}"#]
                let unknown = try await fixture.run(lines, ["--cache", folder])
                let words = #""useProtocol", "reload", "revalidate", "onlyIfCached", "forceCache""#
                let message = #"line 2, field "cache": expected one of \#(words), found "no-store""#
                #expect(unknown.status == 2 && unknown.errors.contains(message), "\(unknown.errors)")
                let none = try await fixture.run([#"{"url":"a"}"#, #"{"url":"b","cache":"reload"}"#])
                #expect(none.status == 2 && none.errors.contains(#"line 2, field "cache": needs --cache DIR"#))
                #expect(fixture.server.requests.isEmpty)
            }
        }

        @Test func outputFileComesFromTheFolder() async throws {
            let body = String(repeating: "0123456789", count: 30_000)
            let script: TestServer.Script = { _ in .response(headers: ["Cache-Control": "max-age=60"], body: body) }
            try await CommandFixture.with(script) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                for name in ["first", "second"] {
                    let output = fixture.folder.url.appendingPathComponent(name)
                    let line = #"{"url":"\#(fixture.server.url("/").absoluteString)","output":"\#(output.path)"}"#
                    let arguments = ["run", try fixture.file([line]), "--cache", folder]
                    let end = try await CommandProcess(arguments, in: fixture.folder).end()
                    #expect(end.status == 0 && end.output.contains(#""bytes":300000,"sha256":"#), "\(end.errors)")
                    #expect(try String(contentsOf: output, encoding: .utf8) == body)
                }
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func workerHasACacheWithoutOfflineMode() throws {
            let command = try WorkCommand.parse(["--store", "postgresql://h", "--cache", "dir", "--cache-size", "5M"])
            #expect(command.cache.folder == "dir" && command.cache.cacheSize == 5 << 20)
            #expect(throws: (any Error).self) { try WorkCommand.parse(["--store", "postgresql://h", "--offline"]) }
        }
    }
}
