// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    @Suite struct StateRunTests {
        private static let line = #"{"url":"items?since=${state.since}","remember":{"since":{"max":"$[*].at"}}}"#

        private static func script(_ request: ReceivedRequest) -> Reply {
            if request.path == "/bad" { return .response(status: 500, body: "") }
            return .response(body: #"[{"at":5},{"at":9},{"at":7}]"#)
        }

        private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

        @Test func nextRunUsesWhatTheFirstRemembered() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("state", #"{"since":1,"other":[true]}"#)
                let lines = try fixture.file([Self.line])
                for _ in 0..<2 { #expect(try await fixture.start([lines, "--state", path]).end().status == 0) }
                #expect(fixture.server.requests.map(\.target) == ["/items?since=1", "/items?since=9"])
                #expect(try text(path) == #"{"other":[true],"since":9}"# + "\n")
            }
        }

        @Test func membersOfAnotherRunAreKept() async throws {
            let path = Observed("")
            try await CommandFixture.with { request in
                // Another run ends while this one waits for its response.
                try? #"{"since":1,"other":2}"#.write(toFile: path.value, atomically: true, encoding: .utf8)
                return Self.script(request)
            } _: { fixture in
                let state = try fixture.folder.write("state", #"{"since":1}"#)
                path.update { $0 = state }
                #expect(try await fixture.run([Self.line], ["--state", state]).status == 0)
                #expect(try text(state) == #"{"other":2,"since":9}"# + "\n")
            }
        }

        @Test func pagesAndElementsAreRemembered() async throws {
            try await CommandFixture.with { request in
                switch request.target {
                case "/p": .response(headers: ["Link": "</p?2>; rel=next"], body: #"[{"at":"b"}]"#)
                case "/p?2": .response(body: #"[{"at":"c"}]"#)
                default: .response(body: #"{"at":"\#(request.path.dropFirst(3))"}"#)
                }
            } _: { fixture in
                let path = fixture.folder.path("state")
                let lines = [
                    #"{"id":"p","url":"p","paginate":{"next":"link"},"remember":{"page":{"max":"$[*].at"}}}"#,
                    #"{"url":"e/${e.at}","each":{"of":"p","as":"e"},"remember":{"element":{"min":"$.at"}}}"#,
                ]
                let end = try await fixture.run(lines, ["--state", path])
                #expect(end.status == 0)
                #expect(try text(path) == #"{"element":"b","page":"c"}"# + "\n")
            }
        }

        @Test func failureLeavesTheStateAsItWas() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("state", #"{"since":1}"#)
                let end = try await fixture.run(
                    [Self.line, #"{"url":"bad"}"#], ["--state", path, "--fail-if", "failed > 50%"])
                #expect(end.status == 0)
                #expect(end.errors == "\(path) was not changed, because not every operation succeeded\n")
                #expect(try text(path) == #"{"since":1}"#)
            }
        }

        @Test func valuesOfDifferentTypesAreReportedAtTheEnd() async throws {
            try await CommandFixture.with { _ in
                .response(body: #"[{"at":5},{"at":"9"}]"#)
            } _: { fixture in
                let path = try fixture.folder.write("state", #"{"since":1}"#)
                let end = try await fixture.run([Self.line], ["--state", path])
                #expect(end.status == 1)
                #expect(end.errors == "Error: cannot remember \"since\": \"max\" cannot compare numbers with texts\n")
                #expect(try text(path) == #"{"since":1}"#)
            }
        }

        @Test func continuedRunRemembersWhatEarlierRunsFound() async throws {
            let (isUp, number) = (Observed(false), "0.30000000000000000001")
            try await CommandFixture.with { request in
                switch request.target {
                case "/p": .response(headers: ["Link": "</p?2>; rel=next"], body: #"[{"at":\#(number)}]"#)
                case "/p?2": .response(body: #"[{"at":0.3}]"#)
                case "/plain": .response(body: #"{"at":"x"}"#)
                default: .response(status: isUp.value ? 200 : 500, body: #"{"at":8}"#)
                }
            } _: { fixture in
                let (path, journal) = (fixture.folder.path("state"), fixture.folder.path("journal"))
                let lines = [
                    #"{"id":"p","url":"p","paginate":{"next":"link"},"remember":{"page":{"max":"$[*].at"}}}"#,
                    #"{"url":"plain","remember":{"plain":{"last":"$.at"}}}"#,
                    #"{"url":"late","remember":{"late":{"last":"$.at"}}}"#,
                ]
                let arguments = ["--state", path, "--journal", journal]
                let first = try await fixture.run(lines, arguments)
                #expect(first.status == 1)
                #expect(!FileManager.default.fileExists(atPath: path))
                isUp.update { $0 = true }
                let second = try await fixture.run(lines, arguments + ["--retry-failed"])
                let state = try text(path)
                #expect(second.status == 0 && fixture.server.requests.count == 5)
                #expect(state == #"{"late":8,"page":\#(number),"plain":"x"}"# + "\n")
            }
        }

        @Test func missingOptionIsAnErrorBeforeAnythingIsSent() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let end = try await fixture.run([#"{"url":"a"}"#, Self.line], [])
                #expect(end.status == 2)
                #expect(end.errors == "line 2, field \"url\": ${state.…} needs --state FILE, which has the member\n")
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func streamIsCheckedLineByLine() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(input: pipe.readEnd)
                pipe.write(#"{"url":"a"}"# + "\n" + Self.line + "\n")
                let end = await process.end()
                pipe.closeWriteEnd()
                pipe.closeReadEnd()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix("line 2, field \"url\": ${state.…} needs --state FILE"))
            }
        }

        @Test func planUsesTheState() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("state", #"{"since":3}"#)
                let end = try await fixture.run([Self.line], ["--state", path, "--plan"])
                #expect(end.status == 0)
                #expect(end.output.contains("/items?since=3"))
            }
        }
    }
}
