// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import TestSupport
import Testing

/// A server that counts the requests it acted on, even when the requesting processes are killed.
private final class Ledger: Sendable {
    struct Entries: Sendable {
        var counts: [String: Int] = [:]
        var keys: [String: Set<String>] = [:]
        /// The paths of requests that lacked the token from the login.
        var strangers: [String] = []
        var total = 0
        /// Whether the current process has ended.
        var hasEnded = false
    }

    let entries = Observed(Entries())

    func count(_ path: String) -> Int { entries.value.counts[path] ?? 0 }

    func answer(_ request: ReceivedRequest) -> Reply {
        entries.update { entries in
            entries.counts[request.path, default: 0] += 1
            if let key = request.headers["Idempotency-Key"] { entries.keys[request.path, default: []].insert(key) }
            let isUser = request.path.hasPrefix("/user")
            if isUser, request.headers["Authorization"] != "Bearer t0k3n" { entries.strangers.append(request.path) }
            entries.total += 1
        }
        let body = request.path == "/login" ? #"{"token":"t0k3n"}"# : "body of \(request.path)"
        return Reply([.delay(.milliseconds(1))] + Reply.response(body: body).steps)
    }
}

extension ProcessTests {
    @Suite(.skipped(in: .thread, because: "the instants of the kills are those of a program at its usual speed"))
    struct KilledRunTests {
        private static let lineCount = 600
        private static let perOrigin = 16

        /// A login, then lines of every kind.
        private static func lines(_ folder: String) -> [String] {
            let login = #"{"id":"login","method":"POST","url":"login","idempotencyKey":true}"#
            let others = (0..<lineCount).map { number in
                switch number % 6 {
                case 0: #"{"id":"post\#(number)","method":"POST","url":"post\#(number)","text":"x"}"#
                case 1:
                    #"{"id":"user\#(number)","url":"user\#(number)","headers":{"Authorization":"#
                        + #""Bearer ${login.body.token}"}}"#
                case 2: #"{"id":"key\#(number)","method":"POST","url":"key\#(number)","idempotencyKey":true}"#
                case 3: #"{"id":"file\#(number)","url":"file\#(number)","output":"\#(folder)/\#(number)"}"#
                case 4: #"{"id":"late\#(number)","url":"late\#(number)","after":["post\#(number - 4)"]}"#
                default:
                    #"{"id":"put\#(number)","method":"PUT","url":"put\#(number)","text":"x","after":["key\#(number - 3)"]}"#
                }
            }
            return [login] + others
        }

        @Test(arguments: [UInt64(1), 2])
        func repeatedlyKilledRunRepeatsNoUnsafeRequestAndNoResult(seed: UInt64) async throws {
            let ledger = Ledger()
            try await CommandFixture.with {
                ledger.answer($0)
            } _: { fixture in
                let files = fixture.folder.path("files")
                try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: false)
                let results = fixture.folder.path("results.ndjson")
                let lines = Self.lines(files)
                let arguments = [
                    try fixture.file(lines), "--journal", fixture.folder.path("journal"), "--results", results,
                    "--per-origin", "\(Self.perOrigin)",
                ]
                var generator = SeededGenerator(seed: seed)
                var killCount = 0
                while killCount < 30, try await Self.killAfterSome(ledger, &generator, fixture.start(arguments)) {
                    killCount += 1
                }
                #expect(killCount >= 20)
                let end = try await fixture.start(arguments).end()
                #expect(end.errors == "")
                try Self.check(
                    CommandProcess.End.results(in: String(contentsOfFile: results, encoding: .utf8)), ledger, killCount)
                try Self.checkFiles(in: files)
                // Another run has nothing left to do and writes every result again.
                let (total, text) = (ledger.entries.value.total, try Self.sorted(results))
                _ = try await fixture.start(arguments).end()
                #expect(ledger.entries.value.total == total)
                #expect(try Self.sorted(results) == text)
            }
        }

        /// Kills a process after a random number of further requests, which may be zero. Returns false if the process
        /// ended first.
        private static func killAfterSome(
            _ ledger: Ledger, _ generator: inout SeededGenerator, _ process: CommandProcess
        ) async -> Bool {
            let target = ledger.entries.value.total + Int.random(in: 0...24, using: &generator)
            ledger.entries.update { $0.hasEnded = false }
            let end = Task {
                let end = await process.end()
                ledger.entries.update { $0.hasEnded = true }
                return end
            }
            await ledger.entries.becomes { $0.total >= target || $0.hasEnded }
            process.send(SIGKILL)
            return await end.value.status == 128 + SIGKILL
        }

        private static func sorted(_ path: String) throws -> [Substring] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").sorted()
        }

        private static func check(_ results: [ResultLine], _ ledger: Ledger, _ killCount: Int) throws {
            #expect(results.count == lineCount + 1)
            #expect(Set(results.map(\.id)).count == lineCount + 1)
            let outcomes = Dictionary(uniqueKeysWithValues: results.map { ($0.id, $0.outcome) })
            for result in results {
                let count = ledger.count("/" + result.id)
                let kind = result.id.prefix { $0.isLetter }
                switch (kind, result.outcome) {
                case ("post", .success), ("put", .success): #expect(count == 1, "\(result.id)")
                case ("post", .unknown), ("put", .unknown): #expect(count <= 1, "\(result.id)")
                case ("user", .success), ("key", .success), ("file", .success), ("login", .success), ("late", .success):
                    #expect(count >= 1, "\(result.id)")
                case ("late", .skipped):
                    let number = Int(result.id.dropFirst(4)) ?? 0
                    #expect(outcomes["post\(number - 4)"] == .unknown)
                    #expect(count == 0)
                default: Issue.record("\(result.id) is \(result.outcome): \(String(describing: result.error))")
                }
            }
            let unsafe = results.filter { $0.id.hasPrefix("post") || $0.id.hasPrefix("put") }
            #expect(unsafe.filter { $0.outcome == .success }.count >= 20)
            // A kill leaves at most as many lines in doubt as were marked at the same time.
            #expect(unsafe.filter { $0.outcome == .unknown }.count <= killCount * perOrigin)
            #expect(ledger.entries.value.strangers == [])
            let keys = ledger.entries.value.keys
            #expect(keys.values.allSatisfy { $0.count == 1 })
            #expect(Set(keys.values.flatMap(\.self)).count == lineCount / 6 + 1)
        }

        private static func checkFiles(in folder: String) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names) == Set((0..<lineCount).filter { $0 % 6 == 3 }.map(String.init)))
            for name in names {
                #expect(try String(contentsOfFile: folder + "/" + name, encoding: .utf8) == "body of /file\(name)")
            }
        }
    }
}
