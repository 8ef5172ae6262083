// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct RequestLinePlanTests {
    private func plan(
        _ lines: [String], baseURL: String? = nil, environment: [String: String] = [:]
    ) throws -> RequestLinePlan {
        let text = lines.map { $0 + "\n" }.joined()
        let graph = try RequestLineGraph(try RequestLineParser().parse(file: Data(text.utf8)))
        var settings = RequestLineRunner.Settings()
        settings.baseURL = baseURL.flatMap { URL(string: $0) }
        settings.environment = environment
        return RequestLinePlan(graph.nodesInDependencyOrder, settings: settings)
    }

    @Test func waveFollowsTheLongestDependencyChain() throws {
        let plan = try plan([
            #"{"id": "d", "url": "http://h/d", "after": ["b", "c"]}"#, #"{"id": "a", "url": "http://h/a"}"#,
            #"{"id": "b", "url": "http://h/b", "after": ["a"]}"#, #"{"id": "c", "url": "http://h/c"}"#,
        ])
        #expect(plan.waves.map { $0.map(\.id) } == [["a", "c"], ["b"], ["d"]])
        #expect(plan.problems.isEmpty)
    }

    @Test func planListsWavesAndProblems() throws {
        let plan = try plan(
            [
                #"{"id": "login", "method": "POST", "url": "login"}"#,
                #"{"id": "me", "url": "users/${login.body.id}"}"#, #"{"id": "bad", "url": "ftp://u:p@h/"}"#,
            ], baseURL: "http://u:p@host/v1/")
        #expect(
            plan.description == """
                Wave 1: 2 operations
                  login: POST http://host/v1/login
                  bad: GET ftp://h/
                    would fail: \(plan.problems[0].problem?.description ?? "")
                Wave 2: 1 operation
                  me: GET users/${login.body.id} after login
                3 operations in 2 waves; 1 would fail before anything is sent.

                """)
        #expect(plan.problems.map(\.id) == ["bad"] && plan.problems[0].problem?.code == .badURL)
    }

    @Test func baseURLWithoutATrailingSlashGetsOne() throws {
        let plan = try plan([#"{"id": "a", "url": "users"}"#], baseURL: "http://h/v1")
        #expect(plan.waves.joined().map(\.url) == ["http://h/v1/users"])
    }

    @Test(arguments: ["http:/user:s3cret@h/", "http://user:s3/cret@h/", "user:s3cret@h", "http://user:s3#cret@h/"])
    func passwordOfAMalformedURLIsNotShown(url: String) throws {
        let plan = try plan([#"{"id": "a", "url": "\#(url)"}"#, #"{"id": "b", "url": "\#(url)${a.body}"}"#])
        #expect(!plan.description.contains("s3") && !plan.description.contains("cret"), "\(plan)")
    }

    @Test func valuesOfVariablesAreCheckedAndNotShown() throws {
        let lines = [
            #"{"id": "a", "url": "http://h/?key=${env:KEY}", "headers": {"X": "${env:KEY}"}}"#,
            #"{"id": "b", "url": "http://h/${env:GONE}"}"#, #"{"id": "c", "url": "http://${env:BAD}/x"}"#,
            #"{"id": "d", "url": "http://h/", "headers": {"X": "${env:BREAK}"}}"#,
        ]
        let environment = ["KEY": "s3cr3t-key", "BAD": "s3cr3t bad", "BREAK": "s3cr3t\nbreak"]
        let plan = try plan(lines, environment: environment)
        #expect(plan.waves.first?.map(\.url).first == "http://h/?key=${env:KEY}")
        #expect(plan.problems.map(\.id) == ["b", "c", "d"])
        #expect(plan.problems.map(\.problem?.code) == [.unresolvedReference, .badURL, .invalidRequest])
        #expect(plan.description.contains("GONE is not set"))
        #expect(plan.description.contains(#"the URL "http://${env:BAD}/x" is invalid"#))
        #expect(!plan.description.contains("s3cr3t"), "\(plan)")
    }

    @Test(arguments: ["users/1", "/users", "//host/users", "?page=2"])
    func relativeURLWithoutABaseNamesTheOption(url: String) throws {
        let problem = try plan([#"{"url": "\#(url)"}"#]).problems.first?.problem
        #expect(problem?.code == .badURL)
        #expect(problem?.message == "the URL \"\(url)\" is relative, and there is no base URL (--base-url)")
        #expect(try plan([#"{"url": "\#(url)"}"#], baseURL: "http://h/").problems.isEmpty)
    }

    @Test func planOfNoLinesIsEmpty() throws {
        #expect(try plan([]).description == "0 operations in 0 waves.\n")
    }

    @Test func unsendableHeaderIsAProblem() throws {
        let plan = try plan([#"{"url": "http://h/", "headers": {"X": "a\r\nb"}}"#])
        #expect(plan.problems.map(\.problem?.code) == [.invalidRequest])
    }
}
