// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    @Suite struct ReportRunTests {
        private static let lines = [
            #"{"id":"a/1","url":"a"}"#, #"{"id":"b","url":"bad"}"#, #"{"id":"c","url":"a","after":["b"]}"#,
        ]

        private static func script(_ request: ReceivedRequest) -> Reply {
            switch request.path {
            case "/bad": .response(status: 500, body: "")
            case "/slow": .stall
            default: .response(body: "hello")
            }
        }

        private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

        @Test func bothReportsAreWrittenAtTheEnd() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (xml, page) = (fixture.folder.path("r.xml"), try fixture.folder.write("r.html", "old"))
                let end = try await fixture.run(Self.lines, ["--report", "junit=\(xml)", "--report", "html=\(page)"])
                #expect(end.status == 1 && end.errors.isEmpty)
                let report = try #require(JUnitReading(text(xml)))
                #expect(report.suite["tests"] == "3" && report.suite["failures"] == "1")
                #expect(Set(report.cases.compactMap { $0.attributes["name"] }) == ["a/1", "b", "c"])
                #expect(try text(page).contains("unacceptableStatus"))
            }
        }

        @Test func interruptedRunHasItsReports() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (xml, page) = (fixture.folder.path("r.xml"), fixture.folder.path("r.html"))
                let file = try fixture.file([#"{"url":"slow"}"#])
                let process = try fixture.start([file, "--report", "junit=\(xml)", "--report", "html=\(page)"])
                await fixture.server.waitForRequests(count: 1)
                process.send(SIGINT)
                #expect(await process.end().status == 130)
                #expect(try JUnitReading(text(xml))?.suite["skipped"] == "1")
                #expect(try text(page).contains("The run ended early."))
            }
        }

        @Test func missingFolderIsAnErrorBeforeAnythingIsSent() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = fixture.folder.path("no/r.xml")
                let end = try await fixture.run(Self.lines, ["--report", "junit=\(path)"])
                #expect(end.status == 2)
                #expect(end.errors == "Error: cannot write \(path) for --report junit: No such file or directory\n")
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func fullDeviceIsReportedWithStatusOne() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let end = try await fixture.run([Self.lines[0]], ["--report", "html=/dev/full"])
                #expect(end.status == 1)
                #expect(end.errors == "Error: cannot write /dev/full for --report html: No space left on device\n")
            }
        }
    }
}
