// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetBatch

/// Runs lines with pipelines as a file, whose lines are all known, and as a stream.
@Suite(.timeLimit(.minutes(1))) struct PipelineRunTests {
    enum Form: CaseIterable { case file, stream }

    private static func users(_ page: Int) -> String {
        "[" + (0..<3).map { #"{"id":\#(page * 10 + $0),"name":"n\#(page)\#($0)"}"# }.joined(separator: ",") + "]"
    }

    /// Four pages of three users, and a resource for each user.
    private static let script: TestServer.Script = { request in
        let page = Int(request.query?.split(separator: "=").last ?? "") ?? 1
        switch request.path {
        case "/users":
            let link: WireFields = page < 4 ? ["Link": "</users?page=\(page + 1)>; rel=\"next\""] : [:]
            return .response(headers: link, body: users(page))
        case "/broken" where page == 2: return .response(status: 500, body: "")
        case "/broken": return .response(headers: ["Link": "</broken?page=\(page + 1)>; rel=next"], body: users(page))
        case "/echo": return .response(body: request.body)
        case "/html": return .response(body: "<html>")
        default: return .response(body: #"{"path":"\#(request.path)"}"#)
        }
    }

    private static func lines(_ texts: [String]) throws -> [NumberedLine] {
        try RequestLineParser().parse(file: Data(texts.joined(separator: "\n").utf8))
    }

    /// Runs the lines. Returns the results by id; each id must be unique.
    private static func run(
        _ texts: [String], on server: TestServer, as form: Form,
        _ change: (inout RequestLineRunner.Settings) -> Void = { _ in }
    ) async throws -> [String: ResultLine] {
        let results = Observed<[String: ResultLine]>([:])
        var settings = RequestLineRunner.Settings()
        settings.baseURL = server.url("/")
        change(&settings)
        let onResult = { @Sendable (result: ResultLine) in
            results.update { results in
                if results.updateValue(result, forKey: result.id) != nil { Issue.record("two results: \(result.id)") }
            }
        }
        let run: WindowedRun
        switch form {
        case .file:
            let listed = ListedLines(try RequestLineGraph(try lines(texts)).nodesInDependencyOrder)
            let schedule = listed.schedule(settings.scheduleLimits)
            run = WindowedRun(settings: settings, lines: listed, schedule: schedule, onResult: onResult)
            run.begin()
        case .stream:
            let streamed = StreamedLines()
            run = WindowedRun(settings: settings, lines: streamed, schedule: nil, onResult: onResult)
            run.begin()
            for line in try lines(texts) { run.add(try streamed.add(line)) }
        }
        try await run.finish()
        let counts = run.snapshot(largest: 0)
        #expect(counts.finishedCount == results.value.count && counts.totalCount == results.value.count)
        return results.value
    }

    private static let pages = #"{"id":"users","url":"users","paginate":{"next":"link"}}"#

    @Test(arguments: Form.allCases) func everyPageHasAResultAndTheLineItsSums(form: Form) async throws {
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run([Self.pages], on: server, as: form)
            #expect(results.count == 5)
            for number in 1...4 {
                let page = results["users/\(number)"]
                #expect(page?.outcome == .success && page?.page == number && page?.items == 3 && page?.status == 200)
            }
            let line = try #require(results["users"])
            #expect(line.outcome == .success && line.pages == 4 && line.items == 12 && line.body == nil)
            #expect(server.requests.map(\.target) == ["/users"] + (2...4).map { "/users?page=\($0)" })
        }
    }

    @Test(arguments: Form.allCases) func elementsOfAllPagesAreRequestedOnce(form: Form) async throws {
        let each = #"""
            {"id":"detail","url":"users/${user.id}/${user.name}","each":{"of":"users","as":"user","key":"$.id"}}
            """#
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run([Self.pages, each], on: server, as: form)
            let keys = (1...4).flatMap { page in (0..<3).map { page * 10 + $0 } }
            let paths = server.requests.map(\.path).filter { $0 != "/users" }
            #expect(paths.sorted() == keys.map { "/users/\($0)/n\($0)" }.sorted())
            #expect(keys.allSatisfy { results["detail/\($0)"]?.outcome == .success })
            let line = try #require(results["detail"])
            #expect(line.outcome == .success && line.count == 12 && line.succeeded == 12 && line.duplicates == 0)
        }
    }

    @Test(arguments: Form.allCases) func nothingIsSentForAPathThatLeadsElsewhere(form: Form) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let list = #"""
            {"id":"list","method":"POST","url":"echo","json":[{"n":"../evil"},{"n":"/tmp/evil"},{"n":"good"}]}
            """#
        let each = #"""
            {"id":"o","url":"x","output":"\#(folder.path)/sub/${r.n}.json","each":{"of":"list","as":"r","key":"$.n"}}
            """#
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run([list, each], on: server, as: form)
            for id in ["o/../evil", "o//tmp/evil"] {
                let error = try #require(results[id]?.error)
                #expect(error.code == .cannotOpenFile && error.message.contains("${r.n} contains \"/\""))
            }
            #expect(results["o/good"]?.outcome == .success)
            #expect(server.requests.map(\.path).sorted() == ["/echo", "/x"])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["sub"])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("sub").path)
        #expect(files == ["good.json"])
    }

    @Test func elementsOfFirstPageAreSentBeforeTheLastPageArrives() async throws {
        let each = #"{"id":"detail","url":"x/${u.id}","each":{"of":"users","as":"u"}}"#
        try await TestServer.serving(script: Self.script) { server in
            _ = try await Self.run([Self.pages, each], on: server, as: .file) { $0.concurrencyPerOrigin = 1 }
            let paths = server.requests.map(\.target)
            let last = try #require(paths.firstIndex(of: "/users?page=4"))
            #expect(paths[..<last].contains { $0.hasPrefix("/x/1") })
        }
    }

    @Test(arguments: Form.allCases) func elementsOfElementsAreRequested(form: Form) async throws {
        let lines = [
            Self.pages, #"{"id":"a","url":"a/${u.id}","each":{"of":"users","as":"u","key":"$.id"}}"#,
            #"{"id":"b","url":"b${a1.path}","each":{"of":"a","items":"$","as":"a1","key":"$.path"}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            #expect(results["b"]?.count == 12 && results["b"]?.succeeded == 12)
            #expect(results["b//a/42"]?.url?.hasSuffix("/b/a/42") == true)
            #expect(server.requests.count == 28)
        }
    }

    @Test(arguments: Form.allCases) func countsPagesAndValuesCanBeReferredTo(form: Form) async throws {
        let lines = [
            Self.pages, #"{"id":"one","url":"one","extract":{"p":"$.path"}}"#,
            #"""
            {"id":"sum","method":"POST","url":"echo",
            """#
                + #""text":"${users.items} ${users.pages} ${users/2.body.1.name} ${one.values.p}"}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            #expect(results["sum"]?.body == "12 4 n21 /one")
            #expect(results["one"]?.values == ["p": "/one"])
        }
    }

    @Test(arguments: Form.allCases) func failedPageFailsTheLineAndSkipsItsDependents(form: Form) async throws {
        let lines = [
            #"{"id":"list","url":"broken","paginate":{"next":"link"}}"#,
            #"{"id":"d","url":"d/${u.id}","each":{"of":"list","as":"u","key":"$.id"}}"#,
            #"{"id":"end","url":"end","after":["d"]}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            #expect(results["list/1"]?.outcome == .success && results["list/2"]?.outcome == .failure)
            let list = try #require(results["list"])
            #expect(list.outcome == .failure && list.error?.code == .unacceptableStatus && list.pages == 1)
            #expect(list.error?.message.hasPrefix("page 2: ") == true)
            #expect(results["d"]?.outcome == .skipped && results["end"]?.outcome == .skipped)
            #expect(results["d"]?.error?.code == .dependencyFailed)
            // A stream's line begins when its source has ended; a file's has used the first page by then.
            #expect(results["d/10"]?.outcome == (form == .file ? .success : nil))
        }
    }

    @Test(arguments: Form.allCases) func sameKeyIsSentOnce(form: Form) async throws {
        let lines = [
            #"{"id":"l","method":"POST","url":"echo","json":[{"k":"a"},{"k":"b"},{"k":"a"},{"k":7}]}"#,
            #"{"id":"e","url":"e/${x.k}","each":{"of":"l","as":"x","key":"$.k"}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            let line = try #require(results["e"])
            #expect(line.count == 3 && line.duplicates == 1 && line.succeeded == 3)
            #expect(["e/a", "e/b", "e/7"].allSatisfy { results[$0]?.outcome == .success })
        }
    }

    @Test func elementWithoutKeyOrValueFailsWithItsNumber() async throws {
        let lines = [
            #"{"id":"l","method":"POST","url":"echo","json":[{"k":"a","v":1},{"v":2},{"k":"c"}]}"#,
            #"{"id":"e","url":"e/${x.v}","each":{"of":"l","as":"x","key":"$.k"}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file)
            #expect(results["e/a"]?.outcome == .success)
            let keyless = results["e/#2"]?.error
            #expect(keyless?.code == .unresolvedReference)
            #expect(keyless?.message == #"element 2 of "l" has no $.k, no text and no number"#)
            let valueless = results["e/c"]?.error
            #expect(valueless?.code == .unresolvedReference)
            #expect(valueless?.message == #"${x.v}: x is an object without "v""#)
            let line = try #require(results["e"])
            #expect(line.outcome == .failure && line.count == 3 && line.succeeded == 1 && line.failed == 2)
            #expect(line.error?.message.hasPrefix("2 of 3 elements failed, at first ") == true)
        }
    }

    @Test(arguments: Form.allCases) func failedElementSkipsTheLineThatUsesTheOthers(form: Form) async throws {
        let lines = [
            #"{"id":"l","method":"POST","url":"echo","json":["echo","broken?page=2"]}"#,
            #"{"id":"a","url":"${x}","each":{"of":"l","as":"x","key":"$"},"method":"POST","json":[1]}"#,
            #"{"id":"b","url":"b/${y}","each":{"of":"a","as":"y"}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            #expect(results["a"]?.outcome == .failure && results["a"]?.succeeded == 1)
            #expect(results["b"]?.outcome == .skipped && results["b"]?.error?.code == .dependencyFailed)
        }
    }

    @Test func elementWithoutKeyEndsRunWithFirstFailurePolicy() async throws {
        let lines = [
            #"{"id":"l","method":"POST","url":"echo","json":[{"v":1},{"k":"b"},{"k":"c"}]}"#,
            #"{"id":"e","url":"e/${x.k}","each":{"of":"l","as":"x","key":"$.k"}}"#,
            #"{"id":"end","url":"e","after":["e"]}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file) { $0.cancelsAtFirstFailure = true }
            #expect(results["e/#1"]?.outcome == .failure && results["e"]?.outcome == .cancelled)
            #expect(results["end"]?.outcome == .cancelled && server.requests.map(\.path) == ["/echo"])
        }
    }

    @Test func tooManyElementsFailTheLine() async throws {
        let lines = [
            Self.pages, #"{"id":"e","url":"e/${x.id}","each":{"of":"users","as":"x","key":"$.id","max":5}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file)
            let line = try #require(results["e"])
            #expect(line.outcome == .failure && line.error?.code == .tooManyElements && line.succeeded == 5)
            #expect(results["users"]?.outcome == .success && results["users"]?.pages == 4)
        }
    }

    @Test func bodyWithoutElementsSaysWhy() async throws {
        let lines = [#"{"id":"l","url":"html"}"#, #"{"id":"e","url":"e","each":{"of":"l","as":"x"}}"#]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file)
            let error = results["e"]?.error
            #expect(error?.code == .cannotParseResponse && results["e"]?.count == 0)
            #expect(error?.message.hasPrefix(#"the elements of "l" cannot be read: the body is not JSON"#) == true)
        }
    }

    @Test func keyWithASlashIsAnOrdinaryKey() async throws {
        let lines = [
            #"{"id":"l","method":"POST","url":"echo","json":["b/1"]}"#,
            #"{"id":"m","method":"POST","url":"echo","json":["1"]}"#,
            #"{"id":"a","url":"slow/${x}","each":{"of":"l","as":"x","key":"$"}}"#,
            #"{"id":"a2","url":"slow/${x}","each":{"of":"m","as":"x","key":"$"}}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file)
            #expect(results["a/b/1"]?.outcome == .success && results["a2/1"]?.outcome == .success)
        }
    }

    @Test(arguments: Form.allCases) func assertionThatDoesNotHoldFailsAndSkips(form: Form) async throws {
        let lines = [
            #"{"id":"a","url":"a","assert":[{"status":true,"equals":200},{"path":"$.path","equals":"/b"}]}"#,
            #"{"id":"b","url":"b","after":["a"]}"#, #"{"id":"c","url":"c","assert":[{"path":"$.path","equals":"/c"}]}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: form)
            #expect(results["a"]?.error?.code == .assertionFailed && results["a"]?.status == 200)
            #expect(results["a"]?.error?.message == #"path "$.path" equals "/b", found "/a""#)
            #expect(results["b"]?.outcome == .skipped && results["c"]?.outcome == .success)
        }
    }

    @Test func assertionReplacesReferencesInWhatItExpects() async throws {
        let lines = [
            #"{"id":"a","url":"a"}"#, #"{"id":"b","url":"a","assert":[{"path":"$.path","equals":"${a.body.path}"}]}"#,
        ]
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run(lines, on: server, as: .file)
            #expect(results["b"]?.outcome == .success)
        }
    }

    @Test func stateIsReferredToByItsMembers() async throws {
        let line = #"{"id":"a","url":"x/${state.since}/${state.deep.0}"}"#
        try await TestServer.serving(script: Self.script) { server in
            let results = try await Self.run([line], on: server, as: .file) {
                $0.state = ["since": "2026-01-02", "deep": [5]]
            }
            #expect(results["a"]?.url?.hasSuffix("/x/2026-01-02/5") == true)
            let without = try await Self.run([line], on: server, as: .file)
            #expect(without["a"]?.error?.message == "${state.since}: there is no state file (--state)")
            let empty = try await Self.run([line], on: server, as: .file) { $0.state = [:] }
            let remedy = #"before the first run, write a value to it, such as {"since": 0}"#
            #expect(
                empty["a"]?.error?.message
                    == #"${state.since}: the state file has no member "since"; \#(remedy)"#)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct PollRunTests {
    private static func run(
        _ text: String, states: [String], _ change: (WindowedRun) async -> Void = { _ in }
    ) async throws -> (result: ResultLine?, requestCount: Int) {
        let left = Observed(states)
        return try await TestServer.serving { _ in
            let state = left.value.first ?? "running"
            left.update { if $0.count > 1 { $0.removeFirst() } }
            return .response(body: #"{"state":"\#(state)"}"#)
        } _: { server in
            let results = Observed<[ResultLine]>([])
            var settings = RequestLineRunner.Settings()
            (settings.baseURL, settings.concurrency) = (server.url("/"), 1)
            let numbered = try #require(try RequestLineParser().parse(line: Data(text.utf8), number: 1))
            let lines = ListedLines(try RequestLineGraph([numbered]).nodesInDependencyOrder)
            let schedule = lines.schedule(settings.scheduleLimits)
            let run = WindowedRun(settings: settings, lines: lines, schedule: schedule) { results.append($0) }
            run.begin()
            await change(run)
            try await run.finish()
            #expect(results.value.count == 1)
            return (results.value.first, server.requests.count)
        }
    }

    private static func line(_ limits: String) -> String {
        #"{"id":"j","url":"job","until":{"assert":[{"path":"$.state","matches":"^(done|failed)$"}],"every":0.01,\#(limits)}}"#
    }

    @Test func requestIsRepeatedUntilTheConditionIsMet() async throws {
        let (result, count) = try await Self.run(Self.line(#""timeout":30"#), states: ["running", "running", "done"])
        #expect(result?.outcome == .success && result?.body == #"{"state":"done"}"#)
        #expect(count == 3 && result?.attempts == 3 && result?.requests == 3)
    }

    @Test func allRequestsOfALineHaveOneAutomaticKey() async throws {
        let keys = Observed<[String]>([])
        try await TestServer.serving { request in
            keys.append(request.headers["Idempotency-Key"] ?? "none")
            return .response(body: #"{"state":"\#(keys.value.count < 3 ? "running" : "done")"}"#)
        } _: { server in
            var settings = RequestLineRunner.Settings()
            settings.baseURL = server.url("/")
            let text = String(Self.line(#""timeout":30"#).dropLast()) + #","method":"POST","idempotencyKey":true}"#
            let other = text.replacingOccurrences(of: #""id":"j""#, with: #""id":"k""#)
            for line in [text, other] {
                let numbered = try #require(try RequestLineParser().parse(line: Data(line.utf8), number: 1))
                let lines = ListedLines(try RequestLineGraph([numbered]).nodesInDependencyOrder)
                let schedule = lines.schedule(settings.scheduleLimits)
                let results = Observed<[ResultLine]>([])
                let run = WindowedRun(settings: settings, lines: lines, schedule: schedule) { results.append($0) }
                run.begin()
                try await run.finish()
                #expect(results.value.first?.outcome == .success)
            }
        }
        #expect(keys.value.count == 4 && Set(keys.value.prefix(3)).count == 1 && keys.value.last != keys.value.first)
        #expect(!keys.value.contains("none"))
    }

    @Test func unmetConditionFailsAfterItsNumberOfRequests() async throws {
        let (result, count) = try await Self.run(Self.line(#""max":4"#), states: ["running"])
        #expect(result?.outcome == .failure && result?.error?.code == .conditionNotMet && count == 4)
        #expect(result?.requests == 4)
        let reason = #"path "$.state" matches "^(done|failed)$", found "running""#
        #expect(result?.error?.message == "the condition was not met within 4 requests: \(reason)")
    }

    @Test func conditionThatIsNotMetInItsTimeFails() async throws {
        let (result, count) = try await Self.run(Self.line(#""timeout":0.3"#), states: ["running"])
        #expect(result?.error?.code == .conditionNotMet && count > 1)
        #expect(result?.error?.message.hasPrefix("the condition was not met within 0.3 seconds: ") == true)
    }

    @Test func waitingLineIsCancelledAtOnce() async throws {
        let text = #"{"id":"j","url":"job","until":{"assert":[{"status":true,"equals":201}],"every":3600,"max":9}}"#
        let (result, _) = try await Self.run(text, states: ["running"]) { run in
            await becomes(true) { run.snapshot(largest: 0).receivedByteCount > 0 }
            run.cancel()
        }
        #expect(result?.outcome == .cancelled && result?.error?.code == .cancelled)
    }

    @Test func pollsWaitWithoutASlot() async throws {
        let (polled, other) = (Observed(0), Observed(false))
        try await TestServer.serving { request in
            if request.path == "/other" {
                other.update { $0 = true }
                return .response(body: "{}")
            }
            polled.update { $0 += 1 }
            return .response(body: other.value ? #"{"state":"done"}"# : #"{"state":"running"}"#)
        } _: { server in
            var settings = RequestLineRunner.Settings()
            (settings.baseURL, settings.concurrency) = (server.url("/"), 1)
            let texts = [Self.line(#""timeout":60"#), #"{"id":"o","url":"other","priority":"veryLow"}"#]
            let numbered = try RequestLineParser().parse(file: Data(texts.joined(separator: "\n").utf8))
            let lines = ListedLines(try RequestLineGraph(numbered).nodesInDependencyOrder)
            let results = Observed<[ResultLine]>([])
            let run = WindowedRun(
                settings: settings, lines: lines, schedule: lines.schedule(settings.scheduleLimits)
            ) { results.append($0) }
            run.begin()
            try await run.finish()
            #expect(results.value.map(\.outcome) == [.success, .success])
        }
    }
}
