// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetServing
import Foundation
import RealServers
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(2))) struct WorkerServingTests {
    private static let now = ContinuousClock.now

    private static func health(
        _ figures: WorkerFigures = WorkerFigures(), problem: String? = nil, isStopping: Bool = false
    ) -> String? {
        WorkerHealth(figures: figures, problem: problem, isStopping: isStopping, lease: .seconds(30), now: now).reason
    }

    private static func figures(silence: Duration?, isDraining: Bool = false) -> WorkerFigures {
        WorkerFigures(lastAnswer: silence.map { now - $0 }, isDraining: isDraining)
    }

    @Test func workerIsHealthyWhileTheStoreAnswers() {
        #expect(Self.health(Self.figures(silence: .seconds(29))) == nil)
        #expect(Self.health(Self.figures(silence: .seconds(30))) == "the store has not answered for 30 s")
        #expect(Self.health(Self.figures(silence: nil)) == "not connected to the store yet")
        #expect(Self.health(Self.figures(silence: .zero), problem: "gone") == "no connection to the store: gone")
    }

    @Test func drainingWorkerIsNotHealthy() {
        let reason = "draining: the worker starts no more lines"
        #expect(Self.health(Self.figures(silence: .zero), isStopping: true) == reason)
        #expect(Self.health(Self.figures(silence: .zero, isDraining: true)) == reason)
    }

    private static func page(_ figures: WorkerFigures) -> [Substring] {
        var text = OpenMetricsText()
        WorkerMetrics(figures: figures, slotCount: 8, isConnected: true, now: now).write(to: &text)
        return text.end.split(separator: "\n")
    }

    @Test func metricsHaveOutcomesPausesAndTheStore() {
        var figures = Self.figures(silence: .milliseconds(1_500))
        figures.endedCounts = [.success: 5, .unknown: 1]
        figures.origins = [
            WorkerFigures.LimitedOrigin(
                origin: "https://a", pauseEnd: Self.now + .seconds(2), rate: nil, transferCount: nil),
            WorkerFigures.LimitedOrigin(
                origin: "https://b", pauseEnd: Self.now - .seconds(2), rate: 2.5, transferCount: 3),
        ]
        let lines = Self.page(figures)
        for line in [
            #"bluebonnet_fleet_lines_total{outcome="success"} 5"#,
            #"bluebonnet_fleet_lines_total{outcome="failure"} 0"#,
            #"bluebonnet_fleet_lines_total{outcome="unknown"} 1"#, "bluebonnet_fleet_slots 8",
            "bluebonnet_fleet_store_silence_seconds 1.5", "bluebonnet_fleet_store_up 1",
            #"bluebonnet_fleet_origin_hold_seconds{origin="https://a"} 2"#,
            #"bluebonnet_fleet_origin_rate_limit{origin="https://b"} 2.5"#,
            #"bluebonnet_fleet_origin_transfer_limit{origin="https://b"} 3"#,
        ] { #expect(lines.contains(Substring(line)), "\(line)") }
        #expect(lines.count { $0.hasPrefix("bluebonnet_fleet_origin_hold_seconds{") } == 1)
        #expect(lines.last == "# EOF")
    }

    /// OpenMetrics 1.0: each family has one TYPE line and its samples follow it; the unit ends the name; counters end
    /// with `_total`.
    @Test func metricsFollowTheFormat() throws {
        let client = ClientMeter()
        var text = OpenMetricsText()
        WorkerMetrics(figures: Self.figures(silence: .zero), slotCount: 8, isConnected: true, now: Self.now)
            .write(to: &text)
        client.write(to: &text)
        var (families, current, kind): (Set<Substring>, Substring, Substring) = ([], "", "")
        for line in text.end.split(separator: "\n").dropLast() {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# TYPE ") {
                (current, kind) = (words[2], words[3])
                #expect(families.insert(current).inserted, "\(current) occurs twice")
            } else if line.hasPrefix("# UNIT ") {
                #expect(current.hasSuffix("_" + words[3]))
            } else if !line.hasPrefix("# HELP ") {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let suffixes = ["counter": ["_total"], "info": ["_info"], "gauge": [""]][kind]
                #expect((suffixes ?? ["_bucket", "_count", "_sum"]).contains { name == current + $0 }, "\(line)")
            }
        }
        #expect(families.contains("http_client_request_duration_seconds") && families.count > 20)
    }

    @Test func serverSaysThatTheWorkerIsStarting() async throws {
        let options = try ServeOptions.parse(["--serve", "127.0.0.1:0"])
        let server = try #require(try WorkerServer(options, StopControl()))
        let health = try await StreamClient.received(server.url.replacing("/metrics", with: "/healthz"))
        #expect(health.hasPrefix("HTTP/1.1 503 ") && health.hasSuffix("starting\n"))
        server.serve(FleetWorker(store: "postgresql://127.0.0.1:1/none"))
        let later = try await StreamClient.received(server.url.replacing("/metrics", with: "/healthz"))
        #expect(later.hasPrefix("HTTP/1.1 503 ") && later.hasSuffix("not connected to the store yet\n"))
        let metrics = try await StreamClient.received(server.url)
        #expect(metrics.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"))
        #expect(metrics.contains("\nbluebonnet_fleet_store_up 0\n") && metrics.hasSuffix("\n# EOF\n"))
    }
}

/// A worker with a store.
@Suite(.enabled(if: PostgreSQLServer.isAvailable), .timeLimit(.minutes(2))) struct WorkerHealthTests {
    /// Reads a page until its status is as expected.
    private static func wait(for status: Int, at url: String) async throws -> String {
        while true {
            let text = try await StreamClient.received(url)
            if text.hasPrefix("HTTP/1.1 \(status) ") { return text }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func workerIsHealthyUntilItDrains() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let store = postgres.unixURL(database: try await postgres.createDatabase())
        try await Fleet(store: store).submit(
            [RequestLine(id: "a", url: "http://127.0.0.1:1/"), RequestLine(id: "b", url: "http://127.0.0.1:1/")],
            named: "n")
        let server = try #require(try WorkerServer(try ServeOptions.parse(["--serve", "127.0.0.1:0"]), StopControl()))
        var configuration = FleetWorker.Configuration()
        configuration.name = "one"
        server.observe(&configuration)
        let worker = FleetWorker(store: store, configuration: configuration)
        server.serve(worker)
        let health = server.url.replacing("/metrics", with: "/healthz")
        async let work: Void = worker.run()
        #expect(try await Self.wait(for: 200, at: health).hasSuffix("\r\n\r\nhealthy\n"))
        while try await !Fleet(store: store).batch(named: "n").isComplete {
            try await Task.sleep(for: .milliseconds(10))
        }
        var metrics = ""
        while !metrics.contains(#"bluebonnet_fleet_lines_total{outcome="failure"} 2"#) {
            metrics = try await StreamClient.text(server.url)
        }
        #expect(metrics.contains("\nbluebonnet_fleet_store_up 1\n"))
        #expect(metrics.contains("\nbluebonnet_fleet_lines_claimed_total 2\n"))
        let labels = #"http_request_method="GET",server_address="127.0.0.1",server_port="1",error_type="cannotConnect""#
        #expect(metrics.contains("\nhttp_client_request_duration_seconds_count{\(labels)} 2\n"))
        // An idle worker sends heartbeats, and does not ask without a pause.
        let count = metrics.firstMatch(of: /statement_duration_seconds_count (\d+)/).flatMap { Int($0.output.1) }
        #expect(try #require(count) < 500)
        worker.drain()
        try await work
        let text = try await Self.wait(for: 503, at: health)
        #expect(text.hasSuffix("draining: the worker starts no more lines\n"))
    }
}

@Suite struct ServeOptionsTests {
    @Test(arguments: [
        ["--serve", "0.0.0.0:80"], ["--serve", "[::]:80"], ["--serve", "192.168.1.7:80"],
        ["--serve-token-file", "/etc/hosts"], ["--serve", "example.com:80"], ["--serve", ""],
    ]) func otherAddressesNeedAToken(arguments: [String]) {
        #expect(throws: (any Error).self) { try ServeOptions.parse(arguments) }
    }

    @Test(arguments: ["127.0.0.1:8080", "[::1]:8080", "8080", "localhost:0"])
    func loopbackNeedsNoToken(address: String) throws {
        let options = try ServeOptions.parse(["--serve", address])
        #expect(options.serve?.isLoopback == true)
    }

    @Test(arguments: [("0123456789abcdef\n", true), ("short", false), ("0123456789 abcdef", false), ("", false)])
    func tokenIsLongAndOneWord(text: String, isAccepted: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        let options = try ServeOptions.parse(["--serve", "0.0.0.0:0", "--serve-token-file", path])
        if isAccepted {
            _ = try options.access()
        } else {
            #expect(throws: CommandError.self) { try options.access() }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: CommandError.self) { try options.access() }
    }
}
