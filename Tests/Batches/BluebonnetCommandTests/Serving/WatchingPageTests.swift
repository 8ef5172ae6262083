// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import BluebonnetFleet
import BluebonnetServing
import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

@testable import BluebonnetCommand

/// The blocks of the page "Watching a fleet".
@Suite(.timeLimit(.minutes(2))) struct WatchingPageTests {
    private static func block(_ start: String) throws -> [String] {
        let blocks = try CodeBlock.ofPages().filter { $0.page == "WatchingAFleet.md" }
        return try #require(blocks.first { $0.lines.first?.hasPrefix(start) == true }, "\(start)").lines
    }

    /// The words of a command, which may go over several lines.
    private static func words(_ lines: some Sequence<String>) -> [String] {
        lines.joined(separator: " ").replacing("\\ ", with: " ").split(separator: " ").map(String.init)
    }

    @Test func statusPageOfThePageIsServed() async throws {
        let words = Self.words(try Self.block("bluebonnet status"))
        #expect(words == ["bluebonnet", "status", "--serve", "127.0.0.1:8080"])
        let arguments = ["--serve", "127.0.0.1:0", "--store", "postgresql://127.0.0.1:1/none"]
        let command = try StatusCommand.parse(arguments)
        let source = FleetStatusSource(command.store.fleet)
        let server = try StatusServer(command.serving, on: #require(command.serving.serve), source)
        defer { server.stop() }
        let page = try await StreamClient.received(server.url)
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.hasSuffix("</html>\n"))
        // There is no store here.
        #expect(try await StreamClient.text(server.url + "status.json").hasPrefix(#"{"problem":"#))
    }

    @Test func tokenOfThePageIsDemanded() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let lines = try Self.block("umask").map { $0.replacing("/etc/bluebonnet", with: folder.url.path) }
        _ = try ChildProcess.run(["/bin/sh", "-c", lines.prefix(2).joined(separator: "\n")], in: folder)
        let words = Self.words(lines.dropFirst(2))
        #expect(words.prefix(2) == ["bluebonnet", "work"])
        let arguments = words.dropFirst(2).map { $0.replacing("0.0.0.0:9464", with: "0.0.0.0:0") }
        let command = try WorkCommand.parse(arguments + ["--store", "postgresql://127.0.0.1:1/none"])
        let server = try #require(try WorkerServer(command.serving, StopControl()))
        #expect(try await StreamClient.received(server.url).hasPrefix("HTTP/1.1 401 "))
        let token = try String(contentsOfFile: folder.path("token"), encoding: .utf8)
        let field = "Authorization: Bearer " + token.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try await StreamClient.received(server.url, fields: field).hasPrefix("HTTP/1.1 503 "))
    }

    @Test func scrapeConfigurationOfThePageFitsTheWorker() throws {
        let text = try Self.block("scrape_configs:").joined(separator: "\n")
        let work = Self.words(try Self.block("umask").dropFirst(2))
        let port = try #require(work.first { $0.hasPrefix("0.0.0.0:") }).dropFirst(8)
        let targets = text.matches(of: /"worker-\d\.example\.com:(\d+)"/).map(\.output.1)
        #expect(targets == [port, port])
        #expect(text.contains("authorization: { credentials_file: ") && !text.contains("metrics_path"))
    }
}
